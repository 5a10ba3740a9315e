// Long lists and wide tables: only what is in sight, and a little around it, is in the page.

import {
  type ReactVirtualizer,
  type ReactVirtualizerOptions,
  useVirtualizer,
} from '@tanstack/react-virtual'
import { isRtl } from '../i18n.ts'

type Options = Partial<ReactVirtualizerOptions<HTMLElement, HTMLElement>>
type Virtual = ReactVirtualizer<HTMLElement, HTMLElement>

/** `count` rows of `rowPx` in the element that scrolls them. */
export function useRows(
  scroller: () => HTMLElement | null,
  count: number,
  rowPx: number,
  options: Options = {},
): Virtual {
  return useVirtualizer<HTMLElement, HTMLElement>({
    count,
    getScrollElement: scroller,
    estimateSize: () => rowPx,
    overscan: 10,
    ...options,
  })
}

/** Columns of the given widths in px, in the direction of the page. */
export function useColumns(
  scroller: () => HTMLElement | null,
  widths: readonly number[],
  options: Options = {},
): Virtual {
  return useVirtualizer<HTMLElement, HTMLElement>({
    horizontal: true,
    isRtl: isRtl(),
    count: widths.length,
    getScrollElement: scroller,
    estimateSize: (index) => widths[index] ?? 0,
    overscan: 4,
    ...options,
  })
}
