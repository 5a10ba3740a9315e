// How a message inside a viewer has the whole viewer made anew: the boundary around it provides this.

import { createContext } from 'react'

/** Null where nothing can be tried again. */
export const TryAgain = createContext<(() => void) | null>(null)
