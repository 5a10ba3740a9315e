import { i18n } from '@lingui/core'
import { generateMessageId } from '@lingui/message-utils/generateMessageId'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { TokenUser } from '../../../src/access-types.ts'
import type { FileEntry, Permissions, Verb } from '../../../src/api-types.ts'
import { keyLetter } from '../../../web/lib/page/keys.ts'
import { actions } from '../../../web/operations/commands/registry.ts'
import { matchesShortcut, shownKeys } from '../../../web/operations/commands/shortcut.ts'
import { type ActionContext, standingOf } from '../../../web/operations/commands/types.ts'
import { abilitiesIn, noteRights } from '../../../web/state/rights.ts'
import { session } from '../../../web/state/session.ts'

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

function signIn(perm: Partial<Permissions>) {
  session.user = { id: 1, username: 'anna', perm: { ...nothing, ...perm } } as TokenUser
  onTestFinished(() => {
    session.user = null
  })
}

const contextIn = (folder: string, selected: FileEntry[]): ActionContext => ({
  folder,
  isSearch: false,
  selected,
  focused: selected[0] ?? null,
  can: abilitiesIn(folder),
})

function enabled(can: Partial<Permissions>, selected: FileEntry[]): string[] {
  signIn(can)
  const context = contextIn('/', selected)
  return actions.filter((action) => action.enabled(context)).map((action) => action.id)
}

describe('commands', () => {
  it('have ids and shortcuts that no other command has', () => {
    const ids = actions.map((action) => action.id)
    expect(new Set(ids).size).toBe(ids.length)
    const keys = actions.flatMap((action) => action.shortcuts ?? [])
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([])
  })

  it('lead to the links of who may share in some folder, whatever may be done in this one', () => {
    const goes = (perm: Partial<Permissions>, mayShare?: boolean) => {
      signIn(perm)
      if (session.user && mayShare !== undefined) session.user.mayShare = mayShare
      noteRights('/', { ...nothing, download: true })
      onTestFinished(() => noteRights('/', undefined))
      return actions.find(({ id }) => id === 'go-shares')?.enabled(contextIn('/', []))
    }
    const both = { share: true, download: true }
    expect([goes(both), goes({}), goes({}, true), goes(both, false)]).toEqual([
      true,
      false,
      true,
      false,
    ])
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
      'new-from-template',
      'upload-files',
      'go-users',
      'go-groups',
      'go-folders',
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
    expect(enabled({ download: true, create: true }, [file('a')])).toContain('compress')
    expect(enabled({ download: true }, [file('a')])).not.toContain('compress')
    const archive = file('a.tar.zst')
    expect(enabled({ download: true, create: true }, [archive])).toEqual(
      expect.arrayContaining(['extract-here', 'extract-to']),
    )
    expect(enabled({ download: true }, [archive])).not.toContain('extract-here')
    expect(enabled({ download: true, create: true }, [archive, archive])).not.toContain(
      'extract-to',
    )
    expect(enabled({ download: true, create: true }, [file('a')])).not.toContain('extract-here')
    expect(enabled({ admin: true }, [])).toEqual(
      expect.arrayContaining(['go-users', 'go-groups', 'go-folders']),
    )
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

  it('go by the physical key where the keyboard types another script', () => {
    const held = { ctrlKey: true }
    for (const [typed, code, letter] of [
      ['ф', 'KeyA', 'A'],
      ['Ψ', 'KeyC', 'C'],
      ['ד', 'KeyS', 'S'],
      ['ئ', 'KeyZ', 'Z'],
      ['ห', 'KeyS', 'S'],
      ['े', 'KeyS', 'S'],
    ] as const) {
      expect(matchesShortcut(press(typed, { code, ...held }), `Mod+${letter}`, false)).toBe(true)
    }
    const search = press('А', { code: 'KeyF', ctrlKey: true, shiftKey: true })
    expect(matchesShortcut(search, 'Mod+Shift+F', false)).toBe(true)
    // Arabic has a key that types two letters.
    expect(keyLetter({ key: 'لا', code: 'KeyB' })).toBe('B')
  })

  it('go by the Latin letter that is typed, wherever its key is', () => {
    const dvorak = press('s', { code: 'Semicolon', ctrlKey: true })
    expect(matchesShortcut(dvorak, 'Mod+S', false)).toBe(true)
    const dvorakO = press('o', { code: 'KeyS', ctrlKey: true })
    expect(matchesShortcut(dvorakO, 'Mod+S', false)).toBe(false)
    const azertyQ = press('q', { code: 'KeyA', ctrlKey: true })
    expect(matchesShortcut(azertyQ, 'Mod+A', false)).toBe(false)
    // Signs and Latin letters with marks are typed as well.
    expect(keyLetter({ key: ',', code: 'KeyM' })).toBe(',')
    expect(keyLetter({ key: 'é', code: 'KeyE' })).toBe('É')
    expect(keyLetter({ key: 'Enter', code: 'Enter' })).toBe('Enter')
  })

  it('are shown as printed on the keyboard of the language', () => {
    i18n.loadAndActivate({ locale: 'en', messages: {} })
    expect(shownKeys('Mod+Shift+F', false)).toBe('Ctrl Shift F')
    expect(shownKeys('Mod+Shift+F', true)).toBe('⌘ ⇧ F')
    expect(shownKeys('Delete', false)).toBe('Del')
    expect(shownKeys(' ', false)).toBe('Space')
    expect(shownKeys('Mod+Click', false)).toBe('Ctrl Click')
    const german = Object.entries({ Ctrl: 'Strg', Shift: 'Umschalt', Del: 'Entf', PgUp: 'Bild ↑' })
    const messages = german.map(([name, own]) => [generateMessageId(name, 'key'), own])
    i18n.loadAndActivate({ locale: 'de', messages: Object.fromEntries(messages) })
    expect(shownKeys('Mod+Shift+Delete', false)).toBe('Strg Umschalt Entf')
    expect(shownKeys('Mod+Shift+Delete', true)).toBe('⌘ ⇧ ⌦')
    // A cap with a space in its name is one cap.
    expect(shownKeys('PageUp', false)).toBe('Bild\u00a0↑')
  })
})

describe('commands in a folder with rights of its own', () => {
  const all: Partial<Permissions> = {
    ...{ create: true, rename: true, modify: true, delete: true, share: true, download: true },
  }

  /** How commands for one selected file stand, with these verbs in its folder. */
  function standing(may: readonly Verb[], ids: readonly string[]): string[] {
    const said = (verb: Verb) => may.includes(verb)
    noteRights('/team', {
      ...{ download: said('download'), create: said('create'), modify: said('modify') },
      ...{ rename: said('rename'), delete: said('delete'), share: said('share') },
    })
    onTestFinished(() => noteRights('/team', undefined))
    const context = contextIn('/team', [file('team/a')])
    return ids.map((id) => {
      const action = actions.find((each) => each.id === id)
      return action === undefined ? 'unknown' : standingOf(action, context)
    })
  }

  it('are off where the account may elsewhere, and absent where it may nowhere', () => {
    signIn({ ...all, share: false })
    const ids = ['rename', 'delete', 'new-folder', 'upload-files', 'share', 'download']
    expect(standing(['download'], ids)).toEqual(['off', 'off', 'off', 'off', 'absent', 'on'])
  })

  it('are on where the folder gives more than the account has', () => {
    signIn({ download: true })
    expect(standing(['download', 'delete', 'create'], ['delete', 'new-file'])).toEqual(['on', 'on'])
  })

  it('carry away what can be read and deleted, and copy what can be read', () => {
    signIn(all)
    const ids = ['copy-to', 'cut', 'duplicate']
    expect(standing(['download'], ids)).toEqual(['on', 'off', 'off'])
    expect(standing(['download', 'delete'], ids)).toEqual(['on', 'on', 'off'])
    expect(standing(['rename', 'create'], ids)).toEqual(['off', 'on', 'off'])
  })
})
