// Puts a part of the interface into a document of its own, in English, until the test ends.
import { i18n } from '@lingui/core'
import { I18nProvider } from '@lingui/react'
import { act, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { onTestFinished } from 'vitest'

/** Resolves once the part is shown and what it loads at once is there. */
export async function render(part: ReactNode): Promise<Element> {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  i18n.loadAndActivate({ locale: 'en', messages: {} })
  const place = document.createElement('div')
  const root = createRoot(place)
  onTestFinished(() => act(() => root.unmount()))
  await act(async () => root.render(<I18nProvider i18n={i18n}>{part}</I18nProvider>))
  return place
}
