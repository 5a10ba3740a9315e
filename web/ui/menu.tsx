// Menus: at a button, or at a point for the context menu. A popover in the top layer, so that it
// also works above a dialog; closed by Escape, by a click elsewhere, by scrolling. On touch it is
// a sheet at the bottom.

import './menu.css'
import { Check, type LucideIcon } from 'lucide-react'
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { createPortal } from 'react-dom'
import { closeOnBack } from '../lib/page/back.ts'
import { giveFocusBack } from '../lib/page/focus.ts'
import { onNavigation } from '../lib/page/navigate.ts'
import { findTyped, TypedText } from '../lib/type-ahead.ts'
import { IconButton, type IconButtonProps } from './button.tsx'
import { placeMenu } from './place.ts'

export interface MenuItem {
  id: string
  label: string
  icon?: LucideIcon | undefined
  /** Drawn instead of `icon`, for pictures such as a folder. */
  glyph?: ReactNode
  /** Key names as shown, such as `Ctrl X`. */
  shortcut?: string | undefined
  danger?: boolean
  /** True, or the reason in words. */
  disabled?: boolean | string
  /** Makes it a menuitemradio with a tick. */
  checked?: boolean | undefined
  /** With `checked`: one that is on or off by itself, a menuitemcheckbox. */
  toggle?: boolean
  /** The icon is mirrored in right-to-left languages. */
  flipIcon?: boolean
  /** Language of the label, when it differs from the page's. */
  lang?: string
  /** Direction of the label, when it is always the same: an ending such as `.zip`. */
  dir?: 'ltr'
  onSelect: () => void
}

export type MenuEntry = MenuItem | 'line' | { heading: ReactNode }

interface MenuProps {
  label: string
  items: readonly MenuEntry[]
  /** The element that opened it, or the pointer position in viewport pixels. */
  anchor: HTMLElement | { x: number; y: number }
  /** True focuses the first item at once: opened by keyboard. */
  focusFirst?: boolean
  /** Begins at the checked item rather than at the first. */
  fromChecked?: boolean
  header?: ReactNode
  onClose: () => void
}

interface MenuButtonProps {
  label: string
  items: () => readonly MenuEntry[]
  children: (trigger: MenuTriggerProps) => ReactNode
}

/** True where a menu is better a sheet: small screens that are touched. */
function wantsSheet(): boolean {
  return matchMedia('(max-width: 736px), (hover: none) and (pointer: coarse)').matches
}

export function Menu(props: MenuProps) {
  const { label, items, anchor, focusFirst, fromChecked, header, onClose } = props
  const ref = useRef<HTMLDivElement>(null)
  const sheet = useState(wantsSheet)[0]
  const [typed] = useState(() => new TypedText())

  useLayoutEffect(() => {
    const menu = ref.current
    if (!menu) return
    const opener = document.activeElement
    menu.showPopover()
    if (!sheet) placeMenu(menu, anchor)
    const checked = menu.querySelector<HTMLElement>('[aria-checked="true"]')
    const first = (fromChecked && checked) || menu.querySelector<HTMLElement>('[role^="menuitem"]')
    if (fromChecked) checked?.scrollIntoView({ block: 'nearest' })
    if (focusFirst && first) first.focus()
    else menu.focus({ preventScroll: true })
    return () => {
      const hadFocus = menu.contains(document.activeElement)
      if (menu.isConnected) menu.hidePopover()
      if (!hadFocus && document.activeElement !== document.body) return
      giveFocusBack(opener)
    }
  }, [anchor, focusFirst, fromChecked, sheet])

  useDismissal(ref, anchor, sheet, onClose)

  function onKeyDown(event: KeyboardEvent) {
    event.stopPropagation()
    const all = [...(ref.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])]
    const at = all.indexOf(document.activeElement as HTMLElement)
    const go = (index: number) => {
      event.preventDefault()
      all[(index + all.length) % all.length]?.focus()
    }
    if (event.key === 'ArrowDown') go(at + 1)
    else if (event.key === 'ArrowUp') go(at < 0 ? all.length - 1 : at - 1)
    else if (event.key === 'Home') go(0)
    else if (event.key === 'End') go(all.length - 1)
    else if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault()
      onClose()
    } else if (event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey) {
      const labels = all.map((item) => item.textContent ?? '')
      const index = findTyped(labels, typed.add(event.key, event.timeStamp), at)
      if (index !== null) all[index]?.focus()
    }
  }

  const classes = ['menu']
  if (sheet) classes.push('menu--sheet')
  if (!(anchor instanceof HTMLElement)) classes.push('context-menu')
  return createPortal(
    <div
      ref={ref}
      popover="manual"
      role="menu"
      aria-label={label}
      tabIndex={-1}
      // File Browser's names, for custom.css.
      id={anchor instanceof HTMLElement ? 'dropdown' : undefined}
      className={classes.join(' ')}
      onKeyDown={onKeyDown}
      onContextMenu={(event) => event.preventDefault()}
    >
      {sheet && header && <div className="menu__head">{header}</div>}
      {items.map((item, index) => {
        // biome-ignore lint/suspicious/noArrayIndexKey: lines and headings have no identity
        if (item === 'line') return <hr key={index} className="menu__line" />
        if ('heading' in item) {
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines and headings have no identity
            <div key={index} className="menu__head" role="presentation">
              {item.heading}
            </div>
          )
        }
        return <MenuButtonItem key={item.id} item={item} onClose={onClose} />
      })}
    </div>,
    // Beside an open dialog it would be as inert as the rest of the page; beside the landmarks, readers that
    // go by them would not come across it.
    (anchor instanceof HTMLElement && anchor.closest('dialog')) ||
      document.querySelector('main') ||
      document.body,
  )
}

/** A press elsewhere, scrolling, leaving the window or the page closes a menu. */
function useDismissal(
  ref: RefObject<HTMLElement | null>,
  anchor: MenuProps['anchor'],
  sheet: boolean,
  onClose: () => void,
) {
  const leave = useEffectEvent(() => onClose())
  // In the same turn as it is shown: Back may follow at once.
  useLayoutEffect(() => {
    const abort = new AbortController()
    const { signal } = abort
    const close = () => leave()
    const outside = ({ target, type }: Event) => {
      if (target instanceof Node && ref.current?.contains(target)) return
      // The opener closes the menu itself with the click that follows.
      const onOpener =
        anchor instanceof HTMLElement && target instanceof Node && anchor.contains(target)
      if (onOpener && type === 'pointerdown') return
      if (sheet && type === 'pointerdown') swallowClick()
      leave()
    }
    const scroll = (event: Event) => {
      if (sheet) return
      // What scrolls by itself elsewhere, such as a viewer's strip of neighbours, moves no button.
      const moves = event.target instanceof Node && anchor instanceof Node
      if (!moves || (event.target as Node).contains(anchor)) outside(event)
    }
    document.addEventListener('pointerdown', outside, { capture: true, signal })
    document.addEventListener('scroll', scroll, { capture: true, signal })
    window.addEventListener('resize', close, { signal })
    window.addEventListener('blur', close, { signal })
    const release = [closeOnBack(close, { menu: true }), onNavigation(close)]
    return () => {
      for (const end of release) end()
      abort.abort()
    }
  }, [ref, anchor, sheet])
}

/** Takes the click of a press that has begun: on the veil of a sheet it must not open what lies behind. */
function swallowClick() {
  const over = new AbortController()
  const { signal } = over
  const take = (event: globalThis.MouseEvent) => {
    over.abort()
    // A click made by a key or by the page has no count.
    if (event.detail === 0) return
    event.preventDefault()
    event.stopPropagation()
  }
  addEventListener('click', take, { capture: true, signal })
  // Nothing was clicked: the finger moved or stayed.
  addEventListener('pointerdown', () => over.abort(), { capture: true, signal })
}

function MenuButtonItem({ item, onClose }: { item: MenuItem; onClose: () => void }) {
  const Icon = item.icon
  const off = item.disabled !== undefined && item.disabled !== false
  return (
    <button
      type="button"
      {...(item.checked === undefined
        ? { role: 'menuitem' }
        : {
            role: item.toggle ? 'menuitemcheckbox' : 'menuitemradio',
            'aria-checked': item.checked,
          })}
      aria-disabled={off || undefined}
      tabIndex={-1}
      lang={item.lang}
      data-tip={typeof item.disabled === 'string' ? item.disabled : undefined}
      className={item.danger ? 'menu__item row menu__item--danger' : 'menu__item row'}
      onPointerMove={(event) => event.currentTarget.focus({ preventScroll: true })}
      onClick={() => {
        if (off) return
        onClose()
        item.onSelect()
      }}
    >
      {item.glyph ?? (Icon && <Icon className={item.flipIcon ? 'i flip' : 'i'} aria-hidden />)}
      <span>
        {item.dir ? <bdi dir={item.dir}>{item.label}</bdi> : item.label}
        {typeof item.disabled === 'string' && <small className="menu__why">{item.disabled}</small>}
      </span>
      {item.checked && <Check className="i i-sm menu__mark" aria-hidden />}
      {item.shortcut && <span className="menu__keys">{item.shortcut}</span>}
    </button>
  )
}

interface MenuTriggerProps {
  'aria-haspopup': 'menu'
  'aria-expanded': boolean
  onClick: (event: MouseEvent<HTMLElement>) => void
}

/** A button that opens a menu. The items are asked for at each opening. */
export function MenuButton({ label, items, children }: MenuButtonProps) {
  const [open, setOpen] = useState<{ anchor: HTMLElement; byKeyboard: boolean } | null>(null)
  return (
    <>
      {children({
        'aria-haspopup': 'menu',
        'aria-expanded': open !== null,
        onClick: (event) => {
          const anchor = event.currentTarget
          // A click made by Enter or Space has no click count.
          setOpen(open ? null : { anchor, byKeyboard: event.detail === 0 })
        },
      })}
      {open && (
        <Menu
          label={label}
          items={items()}
          anchor={open.anchor}
          focusFirst={open.byKeyboard}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  )
}

interface ChoiceMenuProps<Id>
  extends Pick<IconButtonProps, 'label' | 'icon' | 'shortcut' | 'size'> {
  choices: readonly { id: Id; label: string }[]
  chosen: Id
  onChoose(id: Id): void
}

export function ChoiceMenu<Id>({ choices, chosen, onChoose, ...button }: ChoiceMenuProps<Id>) {
  return (
    <MenuButton
      label={button.label}
      items={() =>
        choices.map(({ id, label }) => ({
          id: String(id),
          label,
          checked: id === chosen,
          onSelect: () => onChoose(id),
        }))
      }
    >
      {(trigger) => <IconButton {...trigger} {...button} />}
    </MenuButton>
  )
}
