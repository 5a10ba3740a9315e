// A text of any length, read only: a few parts around the place being read are in the page, more come
// by Range while scrolling, and those far away leave again. Also the way to look at a file as text
// that is none.

import { EditorState } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { Trans, useLingui } from '@lingui/react/macro'
import { ArrowDownToLine, ArrowUpToLine, Search, X } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { isAbort } from '../../api/client.ts'
import { messageOf } from '../../api/error-text.ts'
import { defaultPalette } from '../../editor/code/palettes.ts'
import { cspNonce } from '../../editor/code/setup.ts'
import { editorTheme } from '../../editor/code/theme.ts'
import { formatPercent, formatSize } from '../../lib/format.ts'
import type { TextEncoding } from '../../text/encodings.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Spinner } from '../../ui/progress.tsx'
import type { FileSource } from '../frame/source.ts'
import { BigTextWindow } from './big-text-window.ts'
import { EncodingSelect } from './encoding-select.tsx'

interface BigTextProps {
  source: FileSource
  entry: FileEntry
  autoFocus?: boolean
}

const STEPS = 10_000

export function BigText({ source, entry, autoFocus = true }: BigTextProps) {
  const { t } = useLingui()
  const box = useRef<HTMLDivElement>(null)
  const text = useBigText(box, source, entry, autoFocus)
  const { reader, place, setPlace, encoding, setEncoding, binary, problem } = text
  const find = useFind(reader, entry, text.setProblem)
  const { size } = entry
  const share = size === 0 ? 0 : place.offset / size
  const [offsetText, sizeText] = [formatSize(place.offset), formatSize(size)]
  const percent = formatPercent(share * 100, 1)
  return (
    <div className="vx-page big col covers" data-gestures="own">
      <div className="vx-bar" role="toolbar" aria-label={t`Text`}>
        <FindField find={find} />
        <span className="grow" />
        <EncodingSelect
          className="vx-select"
          value={encoding?.name ?? 'utf-8'}
          onChange={(name) => {
            const chosen = { name, bom: false }
            setEncoding(chosen)
            void reader.current?.readAs(chosen)
          }}
        />
        <IconButton
          size="sm"
          icon={ArrowUpToLine}
          label={t`Go to start`}
          onClick={() => void reader.current?.goTo(0)}
        />
        <IconButton
          size="sm"
          icon={ArrowDownToLine}
          label={t`Go to end`}
          onClick={() => void reader.current?.goToEnd()}
        />
      </div>
      {binary && (
        <p className="big-problem sunken" role="note">
          <Trans>This doesn’t look like text</Trans>
        </p>
      )}
      {problem !== '' && (
        <p className="big-problem tone-danger" role="alert">
          {problem}{' '}
          <Button
            size="sm"
            onClick={() => {
              // It was either the text or the search in it.
              if (reader.current?.retry() === false) void find.run()
            }}
          >
            <Trans>Try again</Trans>
          </Button>
        </p>
      )}
      <div className="big-text grow" ref={box} data-own-keys />
      <div className="big-foot row rigid fs-sm mid line-top sunken">
        <input
          type="range"
          className="big-slider"
          min={0}
          max={STEPS}
          value={Math.round(share * STEPS)}
          aria-label={t`Position in file`}
          aria-valuetext={percent}
          onChange={(event) => {
            const at = Number(event.currentTarget.value) / STEPS
            setPlace({ offset: Math.round(at * size), loading: true })
            reader.current?.slideTo(Math.round(at * size))
          }}
        />
        <span className="num">
          <Trans>
            {offsetText} of {sizeText} ({percent})
          </Trans>
        </span>
      </div>
    </div>
  )
}

function useBigText(
  box: RefObject<HTMLDivElement | null>,
  source: FileSource,
  entry: FileEntry,
  autoFocus: boolean,
) {
  const reader = useRef<BigTextWindow>(null)
  const [place, setPlace] = useState({ offset: 0, loading: true })
  const [encoding, setEncoding] = useState<TextEncoding | null>(null)
  const [binary, setBinary] = useState(false)
  const [problem, setProblem] = useState('')
  const { path, size, modified } = entry
  // biome-ignore lint/correctness/useExhaustiveDependencies: one reader for each version of the file
  useEffect(() => {
    if (box.current === null) return
    const view = new EditorView({
      parent: box.current,
      state: EditorState.create({
        extensions: [
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({ 'aria-label': entry.name, 'aria-readonly': 'true' }),
          EditorView.lineWrapping,
          cspNonce(),
          editorTheme(defaultPalette),
          lineNumbers({ formatNumber: (line) => reader.current?.lineLabel(line) ?? '' }),
        ],
      }),
    })
    const onPlace = (offset: number, loading: boolean) => setPlace({ offset, loading })
    const made = new BigTextWindow(view, source, entry, onPlace, (error) => {
      if (isAbort(error)) return
      setProblem(error === null ? '' : messageOf(error))
      setEncoding(made.facts.encoding)
      setBinary(made.facts.binary)
    })
    reader.current = made
    setProblem('')
    void made.open().then(() => {
      if (autoFocus) view.focus()
    })
    return () => {
      made.close()
      view.destroy()
      reader.current = null
    }
  }, [source, path, size, modified])
  return { reader, place, setPlace, encoding, setEncoding, binary, problem, setProblem }
}

function useFind(
  reader: RefObject<BigTextWindow | null>,
  { path, size, modified }: FileEntry,
  onProblem: (problem: string) => void,
) {
  const [wanted, setWanted] = useState('')
  const [state, setState] = useState<'idle' | 'busy' | 'none'>('idle')
  const [share, setShare] = useState(0)
  const searching = useRef<AbortController>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a search ends with its version of the file
  useEffect(() => () => searching.current?.abort(), [path, size, modified])

  async function run() {
    const text = reader.current
    if (text === null || wanted === '') return
    searching.current?.abort()
    const abort = new AbortController()
    searching.current = abort
    const progress = (offset: number) => setShare(offset / Math.max(1, size))
    progress(text.searchFrom)
    setState('busy')
    try {
      const hit = await text.find(wanted, progress, abort.signal)
      setState(hit ? 'idle' : 'none')
    } catch (error) {
      setState('idle')
      if (!isAbort(error)) onProblem(messageOf(error))
    }
  }

  return {
    wanted,
    state,
    share,
    run,
    type(text: string) {
      setWanted(text)
      setState('idle')
    },
    stop: () => searching.current?.abort(),
  }
}

function FindField({ find }: { find: ReturnType<typeof useFind> }) {
  const { t } = useLingui()
  const progress = formatPercent(find.share * 100)
  return (
    <>
      <form
        className="input vx-find"
        onSubmit={(event) => {
          event.preventDefault()
          void find.run()
        }}
      >
        <Search className="i i-sm" aria-hidden />
        <input
          type="text"
          value={find.wanted}
          placeholder={t`Find in the file`}
          aria-label={t`Find in the file`}
          spellCheck={false}
          onChange={(event) => find.type(event.currentTarget.value)}
        />
      </form>
      {find.state === 'busy' ? (
        <span className="vx-note" role="status">
          <Spinner />
          <Trans>{progress} searched</Trans>
          <IconButton size="sm" icon={X} label={t`Stop searching`} onClick={find.stop} />
        </span>
      ) : (
        <Button size="sm" disabled={find.wanted === ''} onClick={() => void find.run()}>
          <Trans>Find next</Trans>
        </Button>
      )}
      {find.state === 'none' && (
        <span className="vx-note" role="status">
          <Trans>No matches from here to the end</Trans>
        </span>
      )}
    </>
  )
}
