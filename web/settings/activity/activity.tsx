// Who did what on this server, for administrators.

import { Trans, useLingui } from '@lingui/react/macro'
import { Download, Hourglass, Search, UserRound } from 'lucide-react'
import { useState } from 'react'
import { type AuditFilter, auditCsvUrl } from '../../api/audit.ts'
import { saveUrl } from '../../lib/save-url.ts'
import { showEverybody } from '../../operations/follow-jobs.ts'
import { Button } from '../../ui/button.tsx'
import { Select, TextField } from '../../ui/field.tsx'
import { Activity } from './activity-table.tsx'
import { useSettled } from './use-settled.ts'
import { useActionWords, useResultWords } from './words.ts'

export function ActivityPage() {
  const { t } = useLingui()
  const [filter, setFilter] = useState<AuditFilter>({})
  const asked = useSettled(filter)
  const field = (name: keyof AuditFilter) => ({
    value: filter[name] ?? '',
    onChange: (value: string) => setFilter({ ...filter, [name]: value }),
  })
  const options = (all: string, words: Record<string, string>) => [
    { value: '', label: all },
    ...Object.entries(words).map(([value, label]) => ({ value, label })),
  ]
  return (
    <>
      <div className="tbl-top row activity__filter wraps">
        <TextField
          {...field('path')}
          hideLabel
          label={t`Part of a path`}
          placeholder={t`Part of a path`}
          type="search"
          icon={Search}
        />
        <TextField
          {...field('user')}
          hideLabel
          label={t`Username`}
          placeholder={t`Username`}
          type="search"
          autoCapitalize="none"
          icon={UserRound}
        />
        <Select
          {...field('action')}
          hideLabel
          label={t`What`}
          options={options(t`Everything`, useActionWords())}
        />
        <Select
          {...field('result')}
          hideLabel
          label={t`Result`}
          options={options(t`All results`, useResultWords())}
        />
        <div className="row activity__days">
          <TextField {...field('firstDay')} label={t`First day`} type="date" />
          <TextField {...field('lastDay')} label={t`Last day`} type="date" />
        </div>
        <div className="row activity__acts">
          <Button tone="line" icon={Hourglass} onClick={() => void showEverybody(true)}>
            <Trans>Everyone’s activity</Trans>
          </Button>
          <Button
            tone="line"
            icon={Download}
            onClick={() => saveUrl(auditCsvUrl(asked), 'audit.csv')}
          >
            <Trans>Save as table</Trans>
          </Button>
        </div>
      </div>
      <Activity filter={asked} />
    </>
  )
}
