// Languages people keep in their folders that the packaged collection lacks: enough grammar to tell
// comments, strings, keywords and numbers apart.

import { LanguageDescription, LanguageSupport } from '@codemirror/language'

interface Rule {
  regex: RegExp
  token: string
  next?: string
}

interface Words {
  name: string
  alias?: string[]
  comments: RegExp[]
  /** Words of the language, separated by spaces. */
  keywords: string
  atoms?: string
  /** Strings that may span lines begin and end with this. */
  blockString?: RegExp
  blockComment?: readonly [start: RegExp, end: RegExp]
  /** Further rules, tried first: a token name of `@lezer/highlight` for each expression. */
  extra?: readonly (readonly [RegExp, string])[]
  lineComment?: string
}

function describe(words: Words): LanguageDescription {
  return LanguageDescription.of({
    name: words.name,
    alias: words.alias ?? [],
    load: async () => {
      const [{ StreamLanguage }, { simpleMode }] = await Promise.all([
        import('@codemirror/language'),
        import('@codemirror/legacy-modes/mode/simple-mode'),
      ])
      const wordList = (list: string) => new RegExp(`(?:${list.split(' ').join('|')})(?![\\w-])`)
      const start: Rule[] = [
        ...words.comments.map((regex) => ({ regex, token: 'comment' })),
        ...(words.blockComment
          ? [{ regex: words.blockComment[0], token: 'comment', next: 'comment' }]
          : []),
        ...(words.extra ?? []).map(([regex, token]) => ({ regex, token })),
        ...(words.blockString
          ? [{ regex: words.blockString, token: 'string', next: 'blockString' }]
          : []),
        { regex: /"(?:[^\\"]|\\.)*"?/, token: 'string' },
        { regex: /'(?:[^\\']|\\.)*'?/, token: 'string' },
        { regex: wordList(words.keywords), token: 'keyword' },
        ...(words.atoms ? [{ regex: wordList(words.atoms), token: 'atom' }] : []),
        { regex: /-?(?:0x[\da-f]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)\b/i, token: 'number' },
        { regex: /[A-Za-z_][\w-]*/, token: 'variable' },
      ]
      const until = (end: RegExp | undefined, token: string): Rule[] =>
        end === undefined
          ? []
          : [
              { regex: end, token, next: 'start' },
              { regex: /./, token },
            ]
      const states = {
        start,
        blockString: until(words.blockString, 'string'),
        comment: until(words.blockComment?.[1], 'comment'),
        languageData: words.lineComment
          ? { name: words.name, commentTokens: { line: words.lineComment } }
          : { name: words.name },
      }
      return new LanguageSupport(StreamLanguage.define(simpleMode(states)))
    },
  })
}

const slashComment = /\/\/.*/
const hashComment = /#.*/
const cBlock = [/\/\*/, /.*?\*\//] as const

/** Kept apart from the packaged list; language.ts joins the two. */
export const ownLanguages: readonly LanguageDescription[] = [
  describe({
    name: 'Makefile',
    alias: ['make'],
    lineComment: '#',
    comments: [hashComment],
    keywords:
      'ifeq ifneq ifdef ifndef else endif include define endef export unexport override vpath',
    extra: [
      [/\$[@<^+?*%]|\$[({][^)}]*[)}]/, 'variableName.special'],
      [/^[\w.%/$(){} -]+(?=\s*:(?![=]))/, 'labelName'],
      [/^\s*[\w.-]+(?=\s*[:?+!]?=)/, 'propertyName'],
    ],
  }),
  describe({
    name: 'Batch',
    alias: ['bat', 'cmd', 'dosbatch'],
    lineComment: 'rem',
    comments: [/::.*/, /rem\b.*/i],
    keywords:
      'if else for in do goto call set setlocal endlocal echo exit pause shift start not exist defined errorlevel equ neq lss leq gtr geq IF ELSE FOR IN DO GOTO CALL SET ECHO EXIT NOT EXIST',
    extra: [
      [/%~?\w+%?|![\w]+!/, 'variableName.special'],
      [/^:\w+/, 'labelName'],
    ],
  }),
  describe({
    name: 'HCL',
    alias: ['terraform', 'tf'],
    lineComment: '#',
    comments: [hashComment, slashComment],
    blockComment: cBlock,
    keywords:
      'resource data variable output module provider terraform locals for in if dynamic moved',
    atoms: 'true false null',
    extra: [
      [/\$\{[^}]*\}/, 'variableName.special'],
      [/[\w-]+(?=\s*=(?!=))/, 'propertyName'],
      [/[a-z_]+(?=\()/, 'variableName.function'],
    ],
  }),
  describe({
    name: 'GraphQL',
    alias: ['gql'],
    lineComment: '#',
    comments: [hashComment],
    blockString: /"""/,
    keywords:
      'query mutation subscription fragment on type interface union enum input scalar schema directive extend implements repeatable',
    atoms: 'true false null',
    extra: [
      [/@\w+/, 'meta'],
      [/\$\w+/, 'variableName.special'],
      [/\w+(?=\s*:)/, 'propertyName'],
      [/[A-Z]\w*/, 'typeName'],
    ],
  }),
  describe({
    name: 'Zig',
    lineComment: '//',
    comments: [slashComment],
    keywords:
      'addrspace align allowzero and anyframe anytype asm async await break callconv catch comptime const continue defer else enum errdefer error export extern fn for if inline linksection noalias noinline nosuspend opaque or orelse packed pub resume return struct suspend switch test threadlocal try union unreachable usingnamespace var volatile while',
    atoms: 'true false null undefined',
    extra: [
      [/@\w+/, 'meta'],
      [/\\\\.*/, 'string'],
      [
        /(?:[ui]\d+|f(?:16|32|64|80|128)|usize|isize|bool|void|type|noreturn|anyerror)\b/,
        'typeName',
      ],
      [/[a-z_]\w*(?=\()/, 'variableName.function'],
    ],
  }),
  describe({
    name: 'Nix',
    lineComment: '#',
    comments: [hashComment],
    blockComment: cBlock,
    blockString: /''/,
    keywords: 'let in rec with inherit if then else assert or import',
    atoms: 'true false null',
    extra: [
      [/\$\{[^}]*\}/, 'variableName.special'],
      [/[\w-]+(?=\s*=(?!=))/, 'propertyName'],
      [/[./~][\w./+-]+\/[\w./+-]*/, 'string.special'],
    ],
  }),
  describe({
    name: 'Elixir',
    alias: ['ex', 'exs'],
    lineComment: '#',
    comments: [hashComment],
    blockString: /"""/,
    keywords:
      'def defp defmodule defmacro defmacrop defstruct defprotocol defimpl defdelegate defguard do end if else unless case cond when fn for with receive after rescue catch try raise use import alias require quote unquote and or not in',
    atoms: 'true false nil',
    extra: [
      [/@\w+/, 'meta'],
      [/:\w+[?!]?|\w+:(?=\s)/, 'atom'],
      [/[A-Z]\w*(?:\.[A-Z]\w*)*/, 'typeName'],
      [/~[a-zA-Z](?:"[^"]*"|\/[^/]*\/|\([^)]*\)|\[[^\]]*\])/, 'string.special'],
    ],
  }),
  describe({
    name: 'Subtitles',
    alias: ['srt', 'vtt'],
    comments: [/NOTE\b.*/],
    keywords: 'WEBVTT STYLE REGION',
    extra: [
      [/^(?:\d+:)?\d\d:\d\d[.,]\d{3}\s*-->\s*(?:\d+:)?\d\d:\d\d[.,]\d{3}.*/, 'number'],
      [/^\d+\s*$/, 'labelName'],
      [/<[^>]*>|\{\\[^}]*\}/, 'tagName'],
    ],
  }),
  describe({
    name: 'Log',
    comments: [],
    keywords: 'INFO info NOTICE notice DEBUG debug TRACE trace',
    extra: [
      [/\b(?:ERROR|FATAL|CRITICAL|PANIC|error|fatal|panic|failed|FAILED)\b/, 'invalid'],
      [/\b(?:WARN|WARNING|warn|warning)\b/, 'meta'],
      [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/, 'comment'],
      [/\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?/, 'number'],
      [/https?:\/\/[^\s"']+/, 'link'],
      [/[\w-]+(?==)/, 'propertyName'],
    ],
  }),
]
