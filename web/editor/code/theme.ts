// A palette as extensions of the editor: colours of its parts and of the syntax.

import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { Palette } from './palettes.ts'

/** Colours for the tags of a grammar; also used for code inside rendered Markdown. */
export function highlightStyle(palette: Palette): HighlightStyle {
  const p = palette
  return HighlightStyle.define([
    { tag: tags.comment, color: p.comment, fontStyle: 'italic' },
    { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.self], color: p.keyword },
    { tag: [tags.controlKeyword, tags.definitionKeyword, tags.moduleKeyword], color: p.keyword },
    { tag: [tags.string, tags.character, tags.special(tags.string)], color: p.string },
    { tag: [tags.regexp, tags.escape], color: p.number },
    { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.unit, tags.color], color: p.number },
    {
      tag: [tags.function(tags.variableName), tags.function(tags.propertyName), tags.labelName],
      color: p.function,
    },
    { tag: [tags.typeName, tags.className, tags.namespace, tags.macroName], color: p.type },
    {
      tag: [tags.propertyName, tags.attributeName, tags.definition(tags.propertyName)],
      color: p.property,
    },
    { tag: [tags.special(tags.variableName), tags.standard(tags.variableName)], color: p.number },
    { tag: [tags.tagName, tags.angleBracket, tags.documentMeta], color: p.tag },
    { tag: [tags.meta, tags.annotation, tags.processingInstruction], color: p.keyword },
    {
      tag: tags.heading,
      color: palette.dark === null ? 'var(--md-heading)' : p.function,
      fontWeight: '600',
    },
    { tag: tags.strong, fontWeight: '600', color: p.keyword },
    { tag: tags.emphasis, fontStyle: 'italic', color: p.keyword },
    { tag: tags.strikethrough, textDecoration: 'line-through' },
    { tag: [tags.link, tags.url], color: p.function, textDecoration: 'underline' },
    { tag: tags.monospace, color: p.string },
    { tag: tags.contentSeparator, color: p.keyword },
    { tag: tags.inserted, color: 'var(--ok)' },
    { tag: [tags.deleted, tags.invalid], color: 'var(--danger)' },
    { tag: tags.changed, color: 'var(--warn)' },
  ])
}

/** Look of the editor itself. Sizes come from the surrounding style sheet by custom properties. */
export function editorTheme(palette: Palette): Extension {
  return [
    EditorView.theme(themeRules(palette), { dark: palette.dark === true }),
    syntaxHighlighting(highlightStyle(palette)),
  ]
}

function themeRules(p: Palette): Parameters<typeof EditorView.theme>[0] {
  return {
    '&': { backgroundColor: p.background, color: p.text, height: '100%', outline: 'none' },
    ...(p.dark === null ? {} : { '&.cm-editor': { colorScheme: p.dark ? 'dark' : 'light' } }),
    '.cm-scroller': {
      fontFamily: 'var(--mono)',
      fontSize: 'var(--ed-font-size)',
      lineHeight: 'var(--ed-line-height)',
      overflow: 'auto',
      direction: 'ltr',
    },
    '.cm-content': { caretColor: p.text, paddingBlock: '0.75rem' },
    '.cm-line': { paddingInline: '0.35rem 1.25rem' },
    '.cm-cursor, .cm-dropCursor': {
      borderLeftColor: p.dark === null ? 'var(--accent)' : p.text,
      borderLeftWidth: '2px',
    },
    '& .cm-selectionLayer .cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground':
      { backgroundColor: p.selection },
    '.cm-content ::selection': { backgroundColor: p.selection },
    '.cm-activeLine': { backgroundColor: 'transparent' },
    '&.cm-focused .cm-activeLine': { backgroundColor: p.activeLine },
    '.cm-gutters': {
      backgroundColor: p.background,
      color: p.comment,
      border: 'none',
      paddingInlineStart: '0.25rem',
    },
    '.cm-lineNumbers .cm-gutterElement': { minWidth: '2.4rem', paddingInline: '0.25rem 0' },
    '.cm-activeLineGutter': { backgroundColor: 'transparent' },
    '&.cm-focused .cm-activeLineGutter': { backgroundColor: p.activeLine, color: p.text },
    '.cm-foldGutter .cm-gutterElement': { cursor: 'pointer', width: '1rem', textAlign: 'center' },
    '.cm-foldPlaceholder': {
      background: 'var(--sunken)',
      border: '1px solid var(--line-strong)',
      borderRadius: 'var(--r-1)',
      color: 'var(--text-2)',
      paddingInline: '0.35rem',
      marginInline: '0.25rem',
    },
    '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
      backgroundColor: 'color-mix(in srgb, var(--accent) 20%, transparent)',
      outline: '1px solid color-mix(in srgb, var(--accent) 55%, transparent)',
      borderRadius: '2px',
    },
    '.cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket': {
      backgroundColor: 'var(--danger-soft)',
      color: 'var(--danger)',
    },
    '.cm-searchMatch': {
      backgroundColor: 'color-mix(in srgb, var(--warn-dot) 34%, transparent)',
      borderRadius: '2px',
    },
    '.cm-searchMatch-selected': {
      backgroundColor: 'color-mix(in srgb, var(--warn-dot) 72%, transparent)',
      outline: '1px solid var(--warn-dot)',
    },
    '.cm-selectionMatch': { backgroundColor: 'color-mix(in srgb, var(--accent) 16%, transparent)' },
    '.cm-specialChar': { color: 'var(--danger)' },
    '.cm-panels': { display: 'none' },
    '.cm-tooltip': {
      background: 'var(--raised)',
      color: 'var(--text)',
      border: '1px solid var(--line)',
      borderRadius: 'var(--r-3)',
      boxShadow: 'var(--sh-2)',
      overflow: 'hidden',
    },
    '.cm-tooltip-autocomplete ul li[aria-selected]': {
      background: 'var(--accent-soft)',
      color: 'var(--accent-text)',
    },
    '.cm-changedLine': {
      backgroundColor: 'color-mix(in srgb, var(--ok) 10%, transparent) !important',
    },
    '.cm-changedText': {
      background: 'color-mix(in srgb, var(--ok) 26%, transparent) !important',
      borderRadius: '2px',
    },
    '&.cm-merge-a .cm-changedLine': {
      backgroundColor: 'color-mix(in srgb, var(--danger) 10%, transparent) !important',
    },
    '&.cm-merge-a .cm-changedText': {
      background: 'color-mix(in srgb, var(--danger) 26%, transparent) !important',
    },
    '&.cm-merge-a .cm-changedLineGutter': { background: 'var(--danger)' },
    '.cm-deletedChunk': {
      backgroundColor: 'color-mix(in srgb, var(--danger) 10%, transparent)',
      paddingInline: '0.35rem 1.25rem',
      position: 'relative',
    },
    '.cm-deletedChunk .cm-deletedText': {
      background: 'color-mix(in srgb, var(--danger) 26%, transparent) !important',
      borderRadius: '2px',
    },
    '.cm-changeGutter': { width: '3px', paddingInlineStart: '0' },
    '.cm-changedLineGutter': { background: 'var(--ok)' },
    '.cm-deletedLineGutter': { background: 'var(--danger)' },
    '.cm-deletedChunk .cm-chunkButtons': {
      position: 'absolute',
      insetInlineEnd: '0.75rem',
      insetBlockStart: '0.15rem',
      zIndex: '1',
      display: 'flex',
      gap: '0.3rem',
    },
    '.cm-deletedChunk .cm-chunkButtons button.btn': {
      minBlockSize: '1.5rem',
      border: '1px solid var(--line-strong)',
      borderRadius: 'var(--r-2)',
      background: 'var(--raised)',
      color: 'var(--text)',
      fontFamily: 'var(--font)',
      cursor: 'pointer',
    },
    '.cm-deletedChunk .cm-chunkButtons button.btn:hover': { background: 'var(--hover-raised)' },
    // Beside the text there is no room for them: they would lie on it.
    '@media (max-width: 736px)': {
      '.cm-deletedChunk .cm-chunkButtons': {
        position: 'static',
        justifyContent: 'end',
        paddingBlock: '0.2rem',
      },
    },
    '.cm-collapsedLines': {
      background: 'var(--sunken)',
      color: 'var(--text-2)',
      paddingBlock: '0.35rem',
      fontFamily: 'var(--font)',
      fontSize: 'var(--fs-sm)',
    },
  }
}
