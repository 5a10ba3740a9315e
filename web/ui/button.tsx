import type { LucideIcon } from 'lucide-react'
import { type ComponentPropsWithRef, type MouseEvent, type ReactNode, useRef } from 'react'
import { Spinner } from './progress.tsx'
import './button.css'

export type ButtonTone = 'ghost' | 'line' | 'fill' | 'danger' | 'danger-text'

/** One that gives a promise is not run again before that is settled: a double click does a thing once. */
type OnClick = (event: MouseEvent<HTMLButtonElement>) => unknown

/** The handler of the click, which does nothing but say so where it is `blocked`. */
function useClick(onClick: OnClick | undefined, blocked: boolean) {
  const working = useRef(false)
  return (event: MouseEvent<HTMLButtonElement>) => {
    if (blocked) return event.preventDefault()
    if (working.current) return
    const work = onClick?.(event)
    if (!(work instanceof Promise)) return
    working.current = true
    void work.finally(() => {
      working.current = false
    })
  }
}

type Plain = Omit<ComponentPropsWithRef<'button'>, 'disabled' | 'onClick'>

export interface ButtonProps extends Plain {
  tone?: ButtonTone
  size?: 'sm' | 'md' | 'lg'
  icon?: LucideIcon | undefined
  endIcon?: LucideIcon | undefined
  block?: boolean
  /** Shows a spinner and takes no clicks; the width stays. */
  busy?: boolean
  /** True, or the reason in words, shown as a tooltip. The button can still be focused. */
  disabled?: boolean | string | undefined
  /** The icon points somewhere and is mirrored in right-to-left languages. */
  flipIcon?: boolean
  onClick?: OnClick | undefined
  children?: ReactNode
}

export function Button({
  tone = 'ghost',
  size = 'md',
  icon: Icon,
  endIcon: EndIcon,
  block,
  busy,
  disabled,
  flipIcon,
  className,
  children,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  const off = Boolean(disabled)
  // The second name of each is File Browser's, for custom.css.
  const classes = ['btn', `btn--${tone}`, 'button']
  if (tone !== 'fill' && tone !== 'danger') classes.push('button--flat')
  if (size !== 'md') classes.push(`btn--${size}`)
  if (block) classes.push('btn--block', 'button--block')
  if (className) classes.push(className)
  const click = useClick(onClick, off || busy === true)
  return (
    <button
      {...rest}
      type={type}
      className={classes.join(' ')}
      aria-busy={busy || undefined}
      aria-disabled={off || undefined}
      {...(typeof disabled === 'string' && { 'data-tip': disabled })}
      onClick={click}
    >
      <span className="btn__label">
        {Icon && <Icon className={flipIcon ? 'i i-sm flip' : 'i i-sm'} aria-hidden />}
        {children}
        {EndIcon && <EndIcon className="i i-sm btn__end" aria-hidden />}
      </span>
      {busy && (
        <span className="btn__spin center">
          <Spinner />
        </span>
      )}
    </button>
  )
}

export interface IconButtonProps extends Plain {
  /** Accessible name and tooltip. */
  label: string
  icon: LucideIcon
  shortcut?: string | undefined
  size?: 'sm' | 'md'
  tone?: 'plain' | 'danger'
  pressed?: boolean | undefined
  disabled?: boolean | string | undefined
  flipIcon?: boolean
  onClick?: OnClick | undefined
}

export function IconButton({
  label,
  icon: Icon,
  shortcut,
  size = 'md',
  tone = 'plain',
  pressed,
  disabled,
  flipIcon,
  className,
  onClick,
  type = 'button',
  ...rest
}: IconButtonProps) {
  const off = Boolean(disabled)
  const classes = ['ib', 'action']
  if (size === 'sm') classes.push('ib--sm')
  if (tone === 'danger') classes.push('ib--danger')
  if (className) classes.push(className)
  const icon = size === 'sm' ? 'i i-sm' : 'i'
  const click = useClick(onClick, off)
  return (
    <button
      {...rest}
      type={type}
      className={classes.join(' ')}
      aria-label={label}
      aria-pressed={pressed}
      aria-disabled={off || undefined}
      data-tip={typeof disabled === 'string' ? disabled : label}
      data-tip-keys={shortcut}
      onClick={click}
    >
      <Icon className={flipIcon ? `${icon} flip` : icon} aria-hidden />
    </button>
  )
}
