// A text of any length, read only: a few parts around the place being read are in the page, more come
// by Range while scrolling, and those far away leave again. Also the way to look at a file as text
// that is none.

import { EditorState } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { Trans, useLingui } from '@lingui/react/macro'
import { ArrowDownToLine, ArrowUpToLine, Search, X } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { isAbort } from '../../api/client.ts'
import { messageOf } from '../../api/error-text.ts'
import { encodingGroupNames } from '../../editor/code/encoding-groups.ts'
import { defaultPalette } from '../../editor/code/palettes.ts'
import { cspNonce } from '../../editor/code/setup.ts'
import { editorTheme } from '../../editor/code/theme.ts'
import { formatPercent, formatSize } from '../../lib/format.ts'
import { encodingGroups, encodingLabel, type TextEncoding } from '../../text/encodings.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Spinner } from '../../ui/progress.tsx'
import type { FileSource } from '../frame/source.ts'
import { BigTextWindow } from './big-text-window.ts'

interface BigTextProps {
  source: FileSource
  entry: FileEntry
  /** Takes the focus and the keys when it opens. */
  autoFocus?: boolean
}

const STEPS = 10_000

export function BigText({ source, entry, autoFocus = true }: BigTextProps) {
  const { t, i18n } = useLingui()
  const box = useRef<HTMLDivElement>(null)
  const reader = useRef<BigTextWindow>(null)
  const [place, setPlace] = useState({ offset: 0, loading: true })
  const [encoding, setEncoding] = useState<TextEncoding | null>(null)
  const [binary, setBinary] = useState(false)
  const [problem, setProblem] = useState('')
  const [wanted, setWanted] = useState('')
  const [search, setSearch] = useState<{ progress: number; state: 'idle' | 'busy' | 'none' }>({
    progress: 0,
    state: 'idle',
  })
  const searching = useRef<AbortController>(null)
  const onPlace = useEffectEvent((offset: number, loading: boolean) =>
    setPlace({ offset, loading }),
  )

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
      searching.current?.abort()
      made.close()
      view.destroy()
      reader.current = null
    }
  }, [source, path, size, modified])

  async function find() {
    const window = reader.current
    if (window === null || wanted === '') return
    searching.current?.abort()
    const abort = new AbortController()
    searching.current = abort
    setSearch({ progress: window.searchFrom / Math.max(1, size), state: 'busy' })
    try {
      const hit = await window.find(
        wanted,
        (offset) => setSearch({ progress: offset / Math.max(1, size), state: 'busy' }),
        abort.signal,
      )
      setSearch({ progress: 0, state: hit ? 'idle' : 'none' })
    } catch (error) {
      setSearch({ progress: 0, state: 'idle' })
      if (!isAbort(error)) setProblem(messageOf(error))
    }
  }

  const share = size === 0 ? 0 : place.offset / size
  const [offsetText, sizeText] = [formatSize(place.offset), formatSize(size)]
  const percent = formatPercent(share * 100, 1)
  const progress = formatPercent(search.progress * 100)
  return (
    <div className="big" data-gestures="own">
      <div className="big-bar" role="toolbar" aria-label={t`Text`}>
        <form
          className="input big-find"
          onSubmit={(event) => {
            event.preventDefault()
            void find()
          }}
        >
          <Search className="i i-sm" aria-hidden />
          <input
            type="text"
            value={wanted}
            placeholder={t`Find in the file`}
            aria-label={t`Find in the file`}
            spellCheck={false}
            onChange={(event) => {
              setWanted(event.currentTarget.value)
              setSearch({ progress: 0, state: 'idle' })
            }}
          />
        </form>
        {search.state === 'busy' ? (
          <span className="big-note" role="status">
            <Spinner />
            <Trans>{progress} searched</Trans>
            <IconButton
              size="sm"
              icon={X}
              label={t`Stop searching`}
              onClick={() => searching.current?.abort()}
            />
          </span>
        ) : (
          <Button size="sm" disabled={wanted === ''} onClick={() => void find()}>
            <Trans>Find next</Trans>
          </Button>
        )}
        {search.state === 'none' && (
          <span className="big-note" role="status">
            <Trans>Not found from here to the end</Trans>
          </span>
        )}
        <span className="grow" />
        <select
          className="big-select"
          aria-label={t`Encoding`}
          value={encoding?.name ?? 'utf-8'}
          onChange={(event) => {
            const chosen = { name: event.currentTarget.value, bom: false }
            setEncoding(chosen)
            void reader.current?.readAs(chosen)
          }}
        >
          {encodingGroups.map(({ group, names }) => (
            <optgroup key={group} label={i18n._(encodingGroupNames[group])}>
              {names.map((name) => (
                <option key={name} value={name}>
                  {encodingLabel({ name, bom: false })}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
        <IconButton
          size="sm"
          icon={ArrowUpToLine}
          label={t`To the beginning`}
          onClick={() => void reader.current?.goTo(0)}
        />
        <IconButton
          size="sm"
          icon={ArrowDownToLine}
          label={t`To the end`}
          onClick={() => void reader.current?.goToEnd()}
        />
      </div>
      {binary && (
        <p className="big-problem big-problem--note" role="note">
          <Trans>This doesn’t look like text</Trans>
        </p>
      )}
      {problem !== '' && (
        <p className="big-problem" role="alert">
          {problem}{' '}
          <Button
            size="sm"
            onClick={() => {
              // It was either the text or the search in it.
              if (reader.current?.retry() === false) void find()
            }}
          >
            <Trans>Try again</Trans>
          </Button>
        </p>
      )}
      <div className="big-text" ref={box} data-own-keys />
      <div className="big-foot">
        <input
          type="range"
          className="big-slider"
          min={0}
          max={STEPS}
          value={Math.round(share * STEPS)}
          aria-label={t`Place in the file`}
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
