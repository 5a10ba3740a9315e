// Sorts very large folders off the page's thread. One request, one answer, in order.

import { type SortChoice, type SortInput, sortOrder } from './sort-entries.ts'

export interface SortRequest {
  id: number
  input: SortInput
  choice: SortChoice
}

export interface SortAnswer {
  id: number
  order: Uint32Array
}

// A worker's `self` is not the window that the DOM types describe.
const scope = self as unknown as {
  onmessage: ((event: MessageEvent<SortRequest>) => void) | null
  postMessage(answer: SortAnswer, transfer: Transferable[]): void
}

scope.onmessage = ({ data }) => {
  const order = sortOrder(data.input, data.choice)
  scope.postMessage({ id: data.id, order }, [order.buffer])
}
