// The last question before something is gone for good, or goes into the trash of those who want to be
// asked. The harmless answer has the focus.

import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { formatList } from '../lib/format.ts'
import { nameOf, shownName } from '../lib/paths.ts'
import type { PromptProps } from '../operations/prompt-kinds.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

export function DeletePrompt({ items, forGood, answer }: PromptProps<'delete'>) {
  const { t } = useLingui()
  const [first] = items
  const name = shownName(nameOf(first?.path ?? ''))
  const others = items.length - 1
  const title =
    items.length > 1 ? (
      <Plural value={items.length} one="Delete # item?" other="Delete # items?" />
    ) : first?.isDir === true ? (
      <Trans>Delete folder?</Trans>
    ) : (
      <Trans>Delete file?</Trans>
    )
  return (
    <Dialog
      alert
      size="md"
      title={title}
      onClose={() => answer(null)}
      answers={
        <Button tone="danger" onClick={() => answer(true)}>
          <Trans>Delete</Trans>
        </Button>
      }
    >
      <p className="mid">
        {!forGood ? (
          <>
            <bdi>{formatList(items.slice(0, 3).map(({ path }) => shownName(nameOf(path))))}</bdi>
            <br />
            <Trans>Deleted items stay in the trash for a while and can be restored.</Trans>
          </>
        ) : items.length > 1 ? (
          <Plural
            value={others}
            one={`“${name}” and # more will be deleted from the server.`}
            other={`“${name}” and # more will be deleted from the server.`}
          />
        ) : first?.isDir === true ? (
          t`“${name}” and everything in it will be deleted from the server.`
        ) : (
          t`“${name}” will be deleted from the server.`
        )}{' '}
        {forGood && <Trans>This can’t be undone.</Trans>}
      </p>
    </Dialog>
  )
}
