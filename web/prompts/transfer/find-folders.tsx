// Finding a folder by its name, for the picker of folders.

import { useLingui } from '@lingui/react/macro'
import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { search } from '../../api/search.ts'
import { joinPath, ROOT } from '../../lib/paths.ts'
import { TextField } from '../../ui/field.tsx'

const MAX_FOUND = 100
const TYPING_PAUSE_MS = 200

/**
 * Folders whose name contains the text, null while nothing is searched for, and whether they are
 * those of this text already.
 */
function useFoundFolders(text: string): { found: string[] | null; isCurrent: boolean } {
  const [found, setFound] = useState<{ text: string; paths: string[] } | null>(null)
  const wanted = text.trim()
  useEffect(() => {
    if (wanted === '') return
    const controller = new AbortController()
    const timer = setTimeout(() => void look(), TYPING_PAUSE_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }

    async function look() {
      const paths: string[] = []
      try {
        // Quotes keep a name with spaces together.
        for await (const hits of search(ROOT, `"${wanted}"`, controller.signal)) {
          for (const hit of hits) if (hit.dir) paths.push(joinPath(ROOT, hit.path))
          setFound({ text: wanted, paths: paths.slice(0, MAX_FOUND) })
          if (paths.length >= MAX_FOUND) break
        }
        if (!controller.signal.aborted) setFound({ text: wanted, paths: paths.slice(0, MAX_FOUND) })
      } catch {
        // The tree still works without the search.
      }
    }
  }, [wanted])
  if (wanted === '') return { found: null, isCurrent: false }
  return { found: found?.paths ?? [], isCurrent: found?.text === wanted }
}

/** Folders by name. Enter in the field takes the first as soon as there is one. */
export function useFinder(text: string, onFirst: (found: readonly string[]) => void) {
  const { found, isCurrent } = useFoundFolders(text)
  const [takesFirst, setTakesFirst] = useState(false)
  useEffect(() => {
    if (!takesFirst || !isCurrent) return
    setTakesFirst(false)
    onFirst(found ?? [])
  })
  return {
    found,
    takeFirst: () => setTakesFirst(true),
    forget: () => setTakesFirst(false),
  }
}

interface FindFieldProps {
  text: string
  onChange(text: string): void
  finder: ReturnType<typeof useFinder>
  onDown(): void
}

export function FindField({ text, onChange, finder, onDown }: FindFieldProps) {
  const { t } = useLingui()
  return (
    <TextField
      label={t`Find a folder`}
      hideLabel
      icon={Search}
      placeholder={t`Find a folder`}
      value={text}
      onChange={(next) => {
        onChange(next)
        finder.forget()
      }}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing || text.trim() === '') return
        if (event.key === 'Enter') finder.takeFirst()
        else if (event.key === 'ArrowDown') onDown()
        else return
        event.preventDefault()
      }}
      type="search"
      autoComplete="off"
      spellCheck={false}
    />
  )
}
