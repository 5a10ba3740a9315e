import { proxy } from 'valtio'
import type { Box } from './geometry.ts'

/** The box that is being drawn over entries, in content coordinates. */
export const band = proxy({ box: null as Box | null })
