// Who may do what in a folder, for administrators: people with the same rights together.

import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { FolderAccess } from '../../../src/access-types.ts'
import type { Verb } from '../../../src/api-types.ts'
import { listAccess } from '../../api/access.ts'
import { boot } from '../../lib/boot.ts'
import { formatList, formatSeries, isolate } from '../../lib/format.ts'
import { useAsked } from '../../lib/page/use-asked.ts'
import { verbWords } from '../../lib/verbs.ts'
import { toastError } from '../../operations/toasts.ts'
import { Button } from '../../ui/button.tsx'

const MOST_NAMES = 20

export function WhoMay({ vpath }: { vpath: string }) {
  const asked = useAsked((signal) => listAccess(vpath, signal), toastError)
  const { value } = asked
  return (
    <section className="info__sums line-top">
      <h4>
        <Trans>Who may do what</Trans>
      </h4>
      {value === null ? (
        <Button size="sm" className="info__ask" busy={asked.busy} onClick={asked.ask}>
          <Trans>Show</Trans>
        </Button>
      ) : (
        <Rights {...value} />
      )}
    </section>
  )
}

interface Same {
  verbs: readonly Verb[]
  names: string[]
}

/** People by what they may, those who may most first. */
function together(items: FolderAccess['items']): Same[] {
  const found = new Map<string, Same>()
  for (const { user, rights } of items) {
    const verbs = verbWords.map(({ verb }) => verb).filter((verb) => rights[verb])
    const same = found.get(verbs.join()) ?? { verbs, names: [] }
    same.names.push(user.username)
    found.set(verbs.join(), same)
  }
  return [...found.values()].sort((a, b) => b.verbs.length - a.verbs.length)
}

function Rights(access: FolderAccess) {
  const { t, i18n } = useLingui()
  const wordsOf = (verbs: readonly Verb[]) => {
    if (verbs.length === verbWords.length) return t`Everything`
    if (verbs.length === 0) return t`Nothing`
    return formatList(
      verbWords.filter(({ verb }) => verbs.includes(verb)).map(({ label }) => i18n._(label)),
    )
  }
  return (
    <>
      <dl className="whomay fs-md stack">
        {together(access.items).map(({ verbs, names }) => (
          <div key={verbs.join()}>
            <dt>{wordsOf(verbs)}</dt>
            <dd>
              {formatSeries(names.slice(0, MOST_NAMES).map(isolate))}
              {names.length > MOST_NAMES && (
                <span className="dim">
                  {' '}
                  <Plural value={names.length - MOST_NAMES} one="and # more" other="and # more" />
                </span>
              )}
            </dd>
          </div>
        ))}
      </dl>
      <a
        className="link fs-md"
        href={`${boot.BaseURL}/settings/folders/record?${new URLSearchParams({ place: access.place })}`}
      >
        {t`Edit ${access.place}`}
      </a>
    </>
  )
}
