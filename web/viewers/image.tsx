import type { ViewerProps } from './source.ts'

export function ImageViewer({ source, entry }: ViewerProps) {
  return <img src={source.previewUrl(entry, 'big') ?? ''} alt={entry.name} />
}
