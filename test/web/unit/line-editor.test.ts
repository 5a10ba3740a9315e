import { describe, expect, it } from 'vitest'
import { LineEditor } from '../../../web/terminal/line-editor.ts'

const LEFT = '\x1b[D'
const UP = '\x1b[A'
const DOWN = '\x1b[B'
const BACKSPACE = '\x7f'

function typed(...keys: string[]): LineEditor {
  const editor = new LineEditor([])
  for (const key of keys) editor.feed(key)
  return editor
}

describe('the line of the shell', () => {
  it('inserts at the cursor and deletes before it', () => {
    const editor = typed('ls', LEFT, 'a', BACKSPACE, 'b')
    expect(editor.text).toBe('lbs')
    expect(editor.before).toBe('lb')
  })

  it('takes a character as people see it for one', () => {
    const editor = typed('a', '👩‍👩‍👧', 'e\u0301', BACKSPACE, BACKSPACE)
    expect(editor.text).toBe('a')
  })

  it('jumps and deletes by words', () => {
    const editor = typed('git commit  now', '\x1b[1;5D', '\x17')
    expect(editor.text).toBe('git now')
    expect(editor.before).toBe('git ')
  })

  it('never runs a pasted line by itself', () => {
    const editor = new LineEditor([])
    expect(editor.feed('rm -rf a\r\nrm -rf b\n')).toBe('changed')
    expect(editor.text).toBe('rm -rf a rm -rf b ')
  })

  it('ignores keys without a meaning and control characters', () => {
    const editor = typed('a', '\x1b[15~', '\x1b[200~', '\x07')
    expect(editor.text).toBe('a')
  })

  it('walks through the history and back to what was being typed', () => {
    const editor = new LineEditor(['one', 'two'])
    editor.feed('thr')
    editor.feed(UP)
    expect(editor.text).toBe('two')
    editor.feed(UP)
    expect(editor.feed(UP)).toBeNull()
    expect(editor.text).toBe('one')
    editor.feed(DOWN)
    editor.feed(DOWN)
    expect(editor.text).toBe('thr')
  })

  it('keeps finished lines, without blanks and repetitions', () => {
    const history: string[] = []
    const editor = new LineEditor(history)
    for (const line of ['ls', 'ls', '  ', 'du']) {
      editor.feed(line)
      expect(editor.feed('\r')).toBe('submit')
      expect(editor.take()).toBe(line)
    }
    expect(history).toEqual(['ls', 'du'])
  })
})
