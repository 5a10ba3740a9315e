// A text of a share: coloured, searchable, read only.

import { openSearchPanel } from '@codemirror/search'
import { EditorState, Prec } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { Trans, useLingui } from '@lingui/react/macro'
import { Binary, Search, TextAlignStart } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { defaultPalette } from '../../editor/code/palettes.ts'
import { createState, languagePart, parts } from '../../editor/code/setup.ts'
import { editorTheme } from '../../editor/code/theme.ts'
import { editorWords } from '../../editor/code/words.ts'
import { FindBar } from '../../editor/find-bar.tsx'
import { encodingLabel } from '../../text/encodings.ts'
import { languageOf } from '../../text/language.ts'
import { splitLines } from '../../text/line-ends.ts'
import { Button } from '../../ui/button.tsx'
import { kindOf } from '../frame/kinds.ts'
import type { ViewerProps } from '../frame/source.ts'
import { Message, ToolRow, Unready } from '../frame/tools.tsx'
import { useText } from './use-text.ts'

export function SharedText({ source, entry, openAs }: ViewerProps) {
  const { t } = useLingui()
  const read = useText(source, entry)
  const [find, setFind] = useState({ open: false, asked: 0 })
  const [view, setView] = useState<EditorView | null>(null)
  // A file that is no text by its name either was opened as one by choice.
  const [anyway, setAnyway] = useState(kindOf(entry) !== 'text')
  const ask = () => setFind(({ asked }) => ({ open: true, asked: asked + 1 }))
  if (read.state !== 'ready') {
    return <Unready title={t`Couldn’t show this text`} {...{ source, entry, read }} />
  }
  const { text, encoding, binary } = read.value
  if (binary && !anyway) {
    return (
      <Message
        title={t`This doesn’t look like text`}
        source={source}
        entry={entry}
        actions={
          <>
            <Button icon={TextAlignStart} onClick={() => setAnyway(true)}>
              <Trans>Open as text</Trans>
            </Button>
            <Button icon={Binary} onClick={() => openAs('hex')}>
              <Trans>Show bytes</Trans>
            </Button>
          </>
        }
      />
    )
  }
  return (
    <>
      <ToolRow label={t`Text`}>
        <Button size="sm" icon={Search} onClick={ask}>
          <Trans>Find</Trans>
        </Button>
        <span className="dim">{encodingLabel(encoding)}</span>
      </ToolRow>
      {find.open && view !== null && (
        <FindBar
          view={view}
          replace={false}
          readOnly
          asked={find.asked}
          textVersion={0}
          onReplace={() => {}}
          onClose={() => setFind({ ...find, open: false })}
        />
      )}
      <Code text={text} name={entry.name} onView={setView} onFind={ask} />
    </>
  )
}

interface CodeProps {
  text: string
  name: string
  onView(view: EditorView | null): void
  onFind(): void
}

function Code({ text, name, onView, onFind }: CodeProps) {
  const { t } = useLingui()
  const box = useRef<HTMLDivElement>(null)
  const find = useEffectEvent(() => onFind())
  const label = t`Text of ${name}`
  useEffect(() => {
    if (box.current === null) return
    const run = (view: EditorView) => {
      openSearchPanel(view)
      find()
      return true
    }
    const state = createState(EditorState.create({ doc: splitLines(text).lines.join('\n') }).doc, {
      readOnly: true,
      wrap: true,
      theme: editorTheme(defaultPalette),
      words: editorWords(),
      keys: Prec.high(keymap.of([{ key: 'Mod-f', run, preventDefault: true }])),
      extra: EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true' }),
    })
    const view = new EditorView({ state, parent: box.current })
    onView(view)
    let current = true
    void languageOf(name, text)
      ?.load()
      .then((support) => {
        if (current) view.dispatch({ effects: parts.language.reconfigure(languagePart(support)) })
      })
    return () => {
      current = false
      onView(null)
      view.destroy()
    }
  }, [text, name, label, onView])
  return <div className="big-text grow" ref={box} data-own-keys data-gestures="own" />
}
