import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useEffect, useRef, useState } from 'react'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { useRows } from '../../lib/page/use-rows.ts'
import { useSize } from '../../lib/page/use-size.ts'
import { splitName } from '../../lib/paths.ts'
import partsStyles from '../frame/parts.css?url'
import type { ViewerProps } from '../frame/source.ts'
import { Unready } from '../frame/tools.tsx'
import { useFile } from '../frame/use-file.ts'
import { focusQuietly, scrollByKey, useViewerKeys } from '../frame/viewer-keys.ts'
import fontStyles from './font.css?url'
import { type FontFacts, readFontFacts } from './font-file.ts'

await Promise.all([loadStylesheet(partsStyles), loadStylesheet(fontStyles)])

const MAX_BYTES = 32 * 1024 * 1024
const SIZES_PX = [14, 18, 24, 36, 48, 64]
const CELL_PX = 58
let lastId = 0

interface Loaded {
  family: string
  facts: FontFacts
}

export function FontViewer({ source, entry, setFacts }: ViewerProps) {
  const { t } = useLingui()
  const read = useFile(source, entry, async (signal): Promise<Loaded> => {
    const family = `viewed-font-${++lastId}`
    const bytes = await source.readAll(entry, MAX_BYTES, signal)
    const facts = await readFontFacts(bytes)
    const face = await new FontFace(family, bytes).load()
    signal.throwIfAborted()
    document.fonts.add(face)
    signal.addEventListener('abort', () => document.fonts.delete(face))
    return { family, facts }
  })

  const count = read.state === 'ready' ? read.value.facts.characters?.length : undefined
  useEffect(() => {
    if (count === undefined) return
    setFacts(t`${plural(count, { one: '# character', other: '# characters' })}`)
  }, [count, setFacts, t])

  if (read.state !== 'ready') {
    return (
      <Unready title={t`This font can’t be shown`} {...{ source, entry, read }}>
        <Trans>The file is damaged, or your browser can’t use it.</Trans>
      </Unready>
    )
  }
  return <Specimen {...read.value} name={splitName(entry.name).stem} />
}

function Specimen({ family, facts, name }: Loaded & { name: string }) {
  const { t } = useLingui()
  const scroller = useRef<HTMLDivElement>(null)
  const [text, setText] = useState('')
  const pangram = t({
    message: 'The quick brown fox jumps over the lazy dog.',
    comment: 'A sentence with all letters of the language, to judge a font by',
  })
  const sample = text || pangram

  useEffect(() => focusQuietly(scroller.current), [])
  useViewerKeys((event) => scrollByKey(event, scroller.current))

  return (
    <div
      className="vw-font vw-scroll"
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard
      tabIndex={0}
      style={{ '--vw-face': `"${family}"` } as React.CSSProperties}
    >
      <header>
        <h2 className="vw-face">{facts.family || name}</h2>
        <p>{facts.style}</p>
      </header>
      <label className="vw-font-try fs-md mid stack">
        <span>
          <Trans>Try your own text</Trans>
        </span>
        <input
          className="vw-field"
          value={text}
          placeholder={pangram}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <div className="vw-font-sizes">
        {SIZES_PX.map((size) => (
          <p key={size}>
            <small className="num">{size}</small>
            <span className="vw-face" style={{ fontSize: size }}>
              {sample}
            </span>
          </p>
        ))}
      </div>
      <h3>
        <Trans>Characters</Trans>
      </h3>
      {facts.characters ? (
        <Characters characters={facts.characters} scroller={scroller} />
      ) : (
        <p className="vw-face vw-font-letters">
          ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz 0123456789 .,;:!?&amp;@#%()[]{'{}'}
          «»“”‘’–—
        </p>
      )}
    </div>
  )
}

interface CharactersProps {
  characters: number[]
  scroller: React.RefObject<HTMLDivElement | null>
}

/** Control codes and combining marks alone show nothing of use. */
const printable = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]$/u

function Characters({ characters, scroller }: CharactersProps) {
  const box = useRef<HTMLDivElement>(null)
  const { width } = useSize(box)
  const [shown] = useState(() =>
    characters.filter((code) => printable.test(String.fromCodePoint(code))),
  )
  const perRow = Math.max(1, Math.floor(width / CELL_PX))
  const rows = useRows(() => scroller.current, Math.ceil(shown.length / perRow), CELL_PX + 18, {
    scrollMargin: box.current?.offsetTop ?? 0,
  })
  return (
    <div className="relative" ref={box} style={{ blockSize: rows.getTotalSize() }}>
      {rows.getVirtualItems().map((row) => (
        <div
          key={row.key}
          className="vw-glyph-row"
          style={{
            transform: `translateY(${row.start - rows.options.scrollMargin}px)`,
            gridTemplateColumns: `repeat(${perRow}, 1fr)`,
          }}
        >
          {shown.slice(row.index * perRow, (row.index + 1) * perRow).map((code) => (
            <span key={code} className="vw-glyph rounded" data-tip={hex(code)}>
              <span className="vw-face">{String.fromCodePoint(code)}</span>
              <small>{hex(code)}</small>
            </span>
          ))}
        </div>
      ))}
    </div>
  )
}

function hex(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
