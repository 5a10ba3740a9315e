import { describe, expect, it } from 'vitest'
import type { FileEntry, Permissions } from '../../../src/api-types.ts'
import { actions } from '../../../web/actions/registry.ts'
import { matchesShortcut, shownKeys } from '../../../web/actions/shortcut.ts'
import type { ActionContext } from '../../../web/actions/types.ts'

const nothing: Permissions = {
  admin: false,
  execute: false,
  create: false,
  rename: false,
  modify: false,
  delete: false,
  share: false,
  download: false,
}

function file(name: string, over: Partial<FileEntry> = {}): FileEntry {
  return {
    path: `/${name}`,
    name,
    size: 1,
    extension: '',
    modified: '2026-01-01T00:00:00Z',
    mode: 420,
    isDir: false,
    isSymlink: false,
    type: 'text',
    ...over,
  }
}

function enabled(can: Partial<Permissions>, selected: FileEntry[]): string[] {
  const context: ActionContext = {
    folder: '/',
    selected,
    focused: selected[0] ?? null,
    can: { ...nothing, ...can },
  }
  return actions.filter((action) => action.enabled(context)).map((action) => action.id)
}

describe('commands', () => {
  it('have ids and shortcuts that no other command has', () => {
    const ids = actions.map((action) => action.id)
    expect(new Set(ids).size).toBe(ids.length)
    const keys = actions.flatMap((action) => action.shortcuts ?? [])
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([])
  })

  it('do nothing that the person may not do', () => {
    const harmless = enabled({}, [file('a')])
    for (const id of [
      'share',
      'download',
      'rename',
      'copy-to',
      'move-to',
      'copy',
      'cut',
      'duplicate',
      'delete',
      'new-folder',
      'new-file',
      'upload-files',
      'go-users',
    ]) {
      expect(harmless).not.toContain(id)
    }
  })

  it('follow the permission matrix one right at a time', () => {
    expect(enabled({ delete: true }, [file('a')])).toContain('delete')
    expect(enabled({ delete: true }, [])).not.toContain('delete')
    expect(enabled({ rename: true }, [file('a')])).toEqual(
      expect.arrayContaining(['rename', 'move-to', 'cut']),
    )
    expect(enabled({ create: true }, [file('a')])).toEqual(
      expect.arrayContaining(['copy-to', 'copy', 'duplicate', 'new-folder', 'upload-files']),
    )
    expect(enabled({ share: true }, [file('a')])).not.toContain('share')
    expect(enabled({ share: true, download: true }, [file('a')])).toContain('share')
    expect(enabled({ share: true, download: true }, [file('a'), file('b')])).not.toContain('share')
    expect(enabled({ download: true }, [])).toContain('download')
    expect(enabled({ admin: true }, [])).toContain('go-users')
  })

  it('offer nothing for a broken link that needs its target', () => {
    const link = file('gone', { type: 'invalid_link' })
    const ids = enabled({ download: true, delete: true }, [link])
    expect(ids).toContain('delete')
    expect(ids).not.toContain('download')
    expect(ids).not.toContain('preview')
  })
})

const press = (key: string, held: Partial<KeyboardEvent> = {}) => ({
  key,
  code: key.length === 1 ? `Key${key.toUpperCase()}` : key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
})

describe('shortcuts', () => {
  it('compare letters without case and need exactly the named keys', () => {
    expect(matchesShortcut(press('C', { ctrlKey: true }), 'Mod+C', false)).toBe(true)
    expect(matchesShortcut(press('c', { ctrlKey: true }), 'Mod+C', false)).toBe(true)
    expect(matchesShortcut(press('c', { ctrlKey: true, shiftKey: true }), 'Mod+C', false)).toBe(
      false,
    )
    expect(matchesShortcut(press('c', { metaKey: true }), 'Mod+C', false)).toBe(false)
    expect(matchesShortcut(press('c', { metaKey: true }), 'Mod+C', true)).toBe(true)
  })

  it('go by the physical key with Alt, and accept Shift where signs need it', () => {
    expect(matchesShortcut(press('˜', { code: 'KeyN', altKey: true }), 'Alt+N', true)).toBe(true)
    expect(matchesShortcut(press('/', { code: 'Digit7', shiftKey: true }), '/', false)).toBe(true)
    const one = press('!', { code: 'Digit1', ctrlKey: true, shiftKey: true })
    expect(matchesShortcut(one, 'Mod+Shift+1', false)).toBe(true)
  })

  it('are shown as printed on the keyboard', () => {
    expect(shownKeys('Mod+Shift+F', false)).toBe('Ctrl Shift F')
    expect(shownKeys('Mod+Shift+F', true)).toBe('⌘ ⇧ F')
    expect(shownKeys('Delete', false)).toBe('Del')
    expect(shownKeys(' ', false)).toBe('Space')
  })
})
