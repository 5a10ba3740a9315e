import { defineConfig } from '@lingui/conf'
import { catalogueFormat } from './scripts/build/catalogues.ts'
import { listLocales, SOURCE_LOCALE } from './scripts/build/locales.ts'

export default defineConfig({
  sourceLocale: SOURCE_LOCALE,
  locales: listLocales(),
  orderBy: 'messageId',
  catalogs: [{ path: '<rootDir>/locales/{locale}', include: ['web'] }],
  format: catalogueFormat(),
})
