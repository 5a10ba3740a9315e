// What an account may do at a path, verb by verb, and what decided that.

import { useLingui } from '@lingui/react/macro'
import { Ban, Check, FolderOpen } from 'lucide-react'
import { useState } from 'react'
import type { AccessReason, AccountVerdicts } from '../../../src/access-types.ts'
import { explainAccess, listAccess } from '../../api/access.ts'
import { messageOf } from '../../api/error-text.ts'
import { boot } from '../../lib/boot.ts'
import { joinPath, ROOT } from '../../lib/paths.ts'
import { verbWords } from '../../lib/verbs.ts'
import { openPrompt } from '../../operations/prompts.ts'
import { toastError } from '../../operations/toasts.ts'
import { IconButton } from '../../ui/button.tsx'
import { CodeField } from '../../ui/field.tsx'
import { useSettled } from '../activity/use-settled.ts'
import { Section } from '../parts.tsx'
import { useLoad } from '../use-load.ts'
import type { UserDraft } from '../users/user-draft.ts'

interface MayDoProps {
  userID: number
  /** What counts on the server: rights are asked for anew when it changes. */
  saved: UserDraft
}

export function MayDo({ userID, saved }: MayDoProps) {
  const { t } = useLingui()
  const [path, setPath] = useState<string>(ROOT)
  const asked = useSettled(path)
  const loaded = useLoad(`access ${asked} ${JSON.stringify(saved)}`, (signal) =>
    explainAccess(userID, asked === '' ? ROOT : asked, signal),
  )

  async function choose() {
    const chosen = await openPrompt('transfer', { kind: 'choose', items: [], folder: ROOT })
    if (chosen === null) return
    try {
      const { place } = await listAccess(chosen)
      const home = saved.scope.replace(/\/+$/, '')
      const isIn = place === home || place.startsWith(`${home}/`)
      if (isIn) setPath(joinPath(ROOT, place.slice(home.length)))
      else toastError(t`This folder isn’t in this person’s home folder.`)
    } catch (error) {
      toastError(error)
    }
  }

  return (
    <Section title={t`May do`}>
      <div className="short-field">
        <CodeField
          label={t`Folder or file, as this person sees it`}
          autoComplete="off"
          autoCapitalize="none"
          value={path}
          onChange={setPath}
          error={loaded.error !== null && messageOf(loaded.error)}
          end={
            <IconButton
              size="sm"
              icon={FolderOpen}
              label={t`Choose folder`}
              onClick={() => choose()}
            />
          }
        />
      </div>
      {loaded.data !== null && loaded.error === null && <Verdicts {...loaded.data} />}
    </Section>
  )
}

function Verdicts({ verbs, user }: AccountVerdicts) {
  const { t, i18n } = useLingui()
  return (
    <table className="tbl maydo">
      <thead className="sr">
        <tr>
          <th>{t`Permissions`}</th>
          <th>{t`Result`}</th>
          <th>{t`Why`}</th>
        </tr>
      </thead>
      <tbody>
        {verbWords.map(({ verb, label }) => {
          const { allowed, by } = verbs[verb]
          return (
            <tr key={verb}>
              <td>{i18n._(label)}</td>
              <td className={allowed ? 'maydo__yes' : 'maydo__no'}>
                <span className="row">
                  {allowed ? (
                    <Check className="i i-sm" aria-hidden />
                  ) : (
                    <Ban className="i i-sm" aria-hidden />
                  )}
                  {allowed ? t`Allowed` : t`Denied`}
                </span>
              </td>
              <td className="fs-md dim">
                <Why by={by} username={user.username} />
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

/** Whose word it was, and where it was said. */
function Why({ by: { kind, place, group }, username }: { by: AccessReason; username: string }) {
  const { t } = useLingui()
  const words = {
    account: username,
    group: group?.name,
    everyone: t`Everyone`,
    rule: t`Rules`,
    permission: t`Permissions`,
    see: t`See`,
    home: t`Has a home folder`,
    default: '—',
  }[kind]
  return (
    <>
      <bdi>{words}</bdi>
      {kind === 'permission' && group && (
        <>
          {' · '}
          <bdi>{group.name}</bdi>
        </>
      )}
      {place !== undefined && (
        <>
          {' · '}
          <a href={`${boot.BaseURL}/settings/folders/record?${new URLSearchParams({ place })}`}>
            <bdi dir="ltr">{place}</bdi>
          </a>
        </>
      )}
    </>
  )
}
