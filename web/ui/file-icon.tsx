// File icons in their two forms: a tile in rows, a page with a folded corner in grids. A thumbnail
// covers the tile; when it cannot be loaded, the tile is what remains.

import './file-icon.css'
import { type CSSProperties, type ReactNode, useState } from 'react'
import { classIcons, extensionOf, type FileClass, fileClassOf } from '../lib/file-class.ts'

export interface IconOf {
  name: string
  isDir: boolean
  /** The server's type; '' or absent when unknown. */
  type?: string
}

/** The colour of a class of files, for an element that draws in `--k`. */
export function tintOf(kind: FileClass): CSSProperties {
  return { '--k': `var(--t-${kind})` } as CSSProperties
}

export function FolderGlyph({ className = 'fic' }: { className?: string }) {
  return (
    <svg className={className} viewBox="0 0 32 32" aria-hidden="true">
      <path
        fill="var(--folder-back)"
        d="M3 9a3 3 0 0 1 3-3h5.600c.8 0 1.500.3 2.100.9l1.600 1.600c.4.4.8.5 1.300.5H26a3 3 0 0 1 3 3v9H3z"
      />
      <path
        fill="var(--folder-front-b)"
        d="M3 14.500A2.500 2.500 0 0 1 5.500 12h21a2.500 2.500 0 0 1 2.500 2.500V23a3 3 0 0 1-3 3H6a3 3 0 0 1-3-3z"
      />
      <path
        fill="var(--folder-front-a)"
        opacity=".55"
        d="M3 14.500A2.500 2.500 0 0 1 5.500 12h21a2.500 2.500 0 0 1 2.500 2.500V18H3z"
      />
    </svg>
  )
}

interface FileTileProps {
  entry: IconOf
  size?: 'md' | 'lg'
  /** Address of a picture to show over the icon. */
  thumbnail?: string | undefined
  /** The same as an element. */
  picture?: ReactNode
}

export function FileTile({ entry, size = 'md', thumbnail, picture }: FileTileProps) {
  const [failed, setFailed] = useState<string | null>(null)
  const kind = fileClassOf(entry)
  const classes = ['tile']
  if (size === 'lg') classes.push('tile--lg')
  if (kind === 'folder') {
    classes.push('tile--folder')
    return (
      <span className={classes.join(' ')} style={tintOf(kind)} aria-hidden>
        <FolderGlyph />
      </span>
    )
  }
  const Icon = classIcons[kind]
  return (
    <span className={classes.join(' ')} style={tintOf(kind)} aria-hidden>
      <Icon className="i" />
      {thumbnail && thumbnail !== failed && (
        <img
          src={thumbnail}
          alt=""
          loading="lazy"
          decoding="async"
          draggable={false}
          onError={() => setFailed(thumbnail)}
        />
      )}
      {picture}
    </span>
  )
}

/** A sheet of paper with the class icon and the extension, for grids and previews. */
export function PageIcon({ entry, className }: { entry: IconOf; className?: string }) {
  const kind = fileClassOf(entry)
  if (kind === 'folder') return <FolderGlyph className={className ?? 'pageicon'} />
  const Icon = classIcons[kind]
  const extension = extensionOf(entry.name).slice(0, 5).toUpperCase()
  return (
    <span
      className={className ? `pageicon ${className}` : 'pageicon'}
      style={tintOf(kind)}
      // Drawn by the style sheet: as text it would be missed in the names of cards.
      data-mark={extension}
      aria-hidden="true"
    >
      <svg viewBox="0 0 52 64" aria-hidden="true">
        <path
          d="M8 1h27l16 16v40a6 6 0 0 1-6 6H7a6 6 0 0 1-6-6V7a6 6 0 0 1 6-6z"
          fill="var(--surface)"
          stroke="var(--line-strong)"
          strokeWidth="1.500"
        />
        <path
          d="M35 1l16 16H39a4 4 0 0 1-4-4z"
          fill="color-mix(in srgb, currentColor 18%, var(--surface))"
          stroke="var(--line-strong)"
          strokeWidth="1.500"
          strokeLinejoin="round"
        />
        <Icon x={15} y={extension ? 20 : 24} width={22} height={22} strokeWidth={1.75} />
      </svg>
    </span>
  )
}
