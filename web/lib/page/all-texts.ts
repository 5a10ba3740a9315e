// The build lets every module with texts import this one, but for those that the page begins with: what is loaded
// later finds all texts of the language, of which the page begins with those of its first screen.

import { loadAllTexts } from '../i18n.ts'

await loadAllTexts()
