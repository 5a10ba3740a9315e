import type { CSSProperties } from 'react'
import './progress.css'

function clampPercent(percent: number): number {
  return Number.isFinite(percent) ? Math.min(100, Math.max(0, percent)) : 0
}

interface BarProps {
  /** 0 to 100; values outside are clamped. */
  percent: number
  label: string
  tone?: 'accent' | 'ok' | 'bad' | 'warn'
  className?: string
}

export function ProgressBar({ percent, label, tone = 'accent', className }: BarProps) {
  const value = clampPercent(percent)
  const classes = ['bar']
  if (tone !== 'accent') classes.push(`bar--${tone}`)
  if (className) classes.push(className)
  return (
    <span
      className={classes.join(' ')}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(value)}
    >
      <span style={{ inlineSize: `${value}%` }} />
    </span>
  )
}

const RADIUS = 16.5
const AROUND = 2 * Math.PI * RADIUS

/** A circle that fills clockwise. `size` is in rem. */
export function Ring({ percent, label, size = 2.5 }: BarProps & { size?: number }) {
  const value = clampPercent(percent)
  return (
    <svg
      className="ring"
      viewBox="0 0 40 40"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(value)}
      style={{ inlineSize: `${size}rem`, blockSize: `${size}rem` }}
    >
      <circle cx="20" cy="20" r={RADIUS} />
      <circle
        className="ring__value"
        cx="20"
        cy="20"
        r={RADIUS}
        strokeDasharray={AROUND}
        strokeDashoffset={AROUND * (1 - value / 100)}
      />
    </svg>
  )
}

/** Turning circle; the place that shows it says what it waits for. */
export function Spinner({ large }: { large?: boolean }) {
  return <span className={large ? 'spin spin--lg' : 'spin'} aria-hidden />
}

/** A grey bar in the size of the text to come; `width` and `height` are CSS lengths. */
export function Skeleton({ width, height }: { width?: string; height?: string }) {
  const style: CSSProperties = {}
  if (width) style.inlineSize = width
  if (height) style.blockSize = height
  return <span className="sk" style={style} aria-hidden />
}
