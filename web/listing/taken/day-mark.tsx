// The day that stays at the upper edge while its pictures scroll.

import { type RefObject, useEffect, useState } from 'react'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import type { Geometry } from '../grid/geometry.ts'
import { GroupName } from '../grid/headings.tsx'
import styles from './day-mark.css?url'
import { groupUnder } from './group-under.ts'

await loadStylesheet(styles)

interface DayMarkProps {
  scroller: RefObject<HTMLElement | null>
  geometry: Geometry
}

/** The heading of the day whose pictures are at the upper edge, while it would be above that. */
export function DayMark({ scroller, geometry }: DayMarkProps) {
  const [day, setDay] = useState<ReturnType<typeof groupUnder>>()
  useEffect(() => {
    const element = scroller.current
    if (element === null) return
    const look = () => setDay(groupUnder(geometry, element.scrollTop))
    look()
    element.addEventListener('scroll', look, { passive: true })
    return () => element.removeEventListener('scroll', look)
  }, [scroller, geometry])
  if (day?.day === undefined) return null
  return (
    <div className="grid__day" aria-hidden>
      <div className="grid__heading strong fs-sm dim" style={{ blockSize: day.headingPx }}>
        <span>
          <GroupName {...day} />
        </span>
      </div>
    </div>
  )
}
