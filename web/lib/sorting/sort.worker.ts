// Sorts very large folders off the page's thread. One request, one answer, in order.

import { answerCalls } from '../worker-calls.ts'
import { type SortChoice, type SortInput, sortOrder } from './sort-entries.ts'

answerCalls(({ input, choice }: { input: SortInput; choice: SortChoice }) =>
  sortOrder(input, choice),
)
