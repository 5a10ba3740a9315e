// The editor of access rules: order by dragging or with Alt and the arrow keys, problems while
// typing, and a tester that says what the rules make of a path.

import { Trans, useLingui } from '@lingui/react/macro'
import { Ban, Check, GripVertical, Plus, X } from 'lucide-react'
import {
  type ComponentProps,
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import type { ControlProps } from '../../lib/form-part.ts'
import { announce } from '../../lib/page/announce.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { CodeField, Select } from '../../ui/field.tsx'
import {
  decide,
  type Matcher,
  moveRule,
  newRule,
  problemOf,
  type RuleDraft,
  type RuleProblem,
} from './rule-draft.ts'

let loadedMatcher: Matcher | null = null

/** The server's expression language; its engine is large and loads when it is needed. */
async function loadMatcher(): Promise<Matcher> {
  const { RE2JS } = await import('re2js')
  loadedMatcher = (expression, path) => {
    try {
      return RE2JS.compile(expression).matcher(path).find()
    } catch {
      return null
    }
  }
  return loadedMatcher
}

function useMatcher(needed: boolean): Matcher | null {
  const [matcher, setMatcher] = useState<Matcher | null>(() => loadedMatcher)
  useEffect(() => {
    if (!needed || matcher) return
    let gone = false
    // Without it expressions are not checked here; the server refuses what is wrong.
    loadMatcher().then(
      (loaded) => {
        if (!gone) setMatcher(() => loaded)
      },
      () => {},
    )
    return () => {
      gone = true
    }
  }, [needed, matcher])
  return matcher
}

interface RulesEditorProps extends ControlProps<RuleDraft[]> {
  /** Rules that apply before these: those of the instance, for a user's. */
  before?: readonly RuleDraft[]
  /** Also shows what is missing in rules nobody has typed into yet. */
  strict: boolean
}

export function RulesEditor({ value: rules, onChange, before = [], strict }: RulesEditorProps) {
  const list = useRef<HTMLUListElement>(null)
  const matcher = useMatcher([...before, ...rules].some((rule) => rule.regex))
  const order = useReordering(list, rules, onChange)
  const edit = (key: number, change: Partial<RuleDraft>) =>
    onChange(rules.map((rule) => (rule.key === key ? { ...rule, ...change } : rule)))

  function add() {
    onChange([...rules, newRule()])
    requestAnimationFrame(() => {
      list.current?.lastElementChild?.querySelector<HTMLElement>('input')?.focus()
    })
  }

  return (
    <>
      <ul className="rules" ref={list}>
        {rules.map((rule, at) => (
          <li
            key={rule.key}
            className={order.dragged === rule.key ? 'rule is-dragged' : 'rule'}
            onKeyDown={(event) => order.onKeyDown(event, at)}
          >
            <RuleFields
              rule={rule}
              place={at + 1}
              problem={problemOf(rule, matcher)}
              strict={strict}
              grip={order.gripOf(rule.key)}
              onEdit={(change) => edit(rule.key, change)}
              onRemove={() => onChange(rules.filter((each) => each.key !== rule.key))}
            />
          </li>
        ))}
      </ul>
      <Button size="sm" className="add" icon={Plus} onClick={add}>
        <Trans>Add rule</Trans>
      </Button>
      {rules.length + before.length > 0 && <Tester rules={rules} before={before} />}
    </>
  )
}

/** Moving rules by dragging a grip, or with Alt and the arrow keys. */
function useReordering(
  list: RefObject<HTMLUListElement | null>,
  rules: readonly RuleDraft[],
  onChange: (rules: RuleDraft[]) => void,
) {
  const { t } = useLingui()
  /** Key of the rule that is dragged. */
  const [dragged, setDragged] = useState<number | null>(null)
  const release = () => setDragged(null)

  function onKeyDown(event: KeyboardEvent, at: number) {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    const to = at + (event.key === 'ArrowUp' ? -1 : 1)
    if (to < 0 || to >= rules.length) return
    const active = document.activeElement
    onChange(moveRule(rules, at, to))
    const place = to + 1
    const count = rules.length
    announce(t`Rule moved to place ${place} of ${count}`)
    // Moving an element in the document takes the focus from it.
    requestAnimationFrame(() => active instanceof HTMLElement && active.focus())
  }

  function onDrag(event: PointerEvent<HTMLElement>) {
    if (dragged === null || !list.current) return
    const from = rules.findIndex((rule) => rule.key === dragged)
    const boxes = [...list.current.children].map((item) => item.getBoundingClientRect())
    const to = boxes.findIndex((box) => event.clientY >= box.top && event.clientY <= box.bottom)
    const box = boxes[to]
    if (!box || to === from) return
    // Past the middle of the neighbour, or rows of different height would swap back and forth.
    const middle = box.top + box.height / 2
    if (to < from ? event.clientY < middle : event.clientY > middle) {
      onChange(moveRule(rules, from, to))
    }
  }

  const gripOf = (key: number): ComponentProps<'button'> => ({
    onPointerDown(event) {
      if (event.button !== 0) return
      event.currentTarget.setPointerCapture(event.pointerId)
      setDragged(key)
    },
    onPointerMove: onDrag,
    onPointerUp: release,
    onPointerCancel: release,
  })
  return { dragged, onKeyDown, gripOf }
}

interface RuleFieldsProps {
  rule: RuleDraft
  /** From 1. */
  place: number
  problem: RuleProblem | null
  strict: boolean
  /** Handlers of the grip that drags the rule. */
  grip: ComponentProps<'button'>
  onEdit(change: Partial<RuleDraft>): void
  onRemove(): void
}

function RuleFields({ rule, place, problem, strict, grip, onEdit, onRemove }: RuleFieldsProps) {
  const { t } = useLingui()
  const problems: Record<RuleProblem, string> = {
    empty: t`Enter a path or an expression.`,
    slash: t`Paths must start with a slash.`,
    dots: t`Paths can’t contain “.”, “..” or double slashes.`,
    expression: t`This expression isn’t valid.`,
  }
  return (
    <>
      <button
        type="button"
        className="rule__grip center dim"
        aria-label={t`Move rule ${place}`}
        data-tip={t`Drag to reorder`}
        data-tip-keys="Alt ↑ ↓"
        {...grip}
      >
        <GripVertical className="i i-sm" aria-hidden />
      </button>
      <Select
        label={t`Effect of rule ${place}`}
        hideLabel
        value={rule.allow ? 'allow' : 'deny'}
        onChange={(value) => onEdit({ allow: value === 'allow' })}
        options={[
          { value: 'allow', label: t`Allow` },
          { value: 'deny', label: t`Deny` },
        ]}
      />
      <Select
        label={t`Kind of rule ${place}`}
        hideLabel
        value={rule.regex ? 'regex' : 'path'}
        onChange={(value) => onEdit({ regex: value === 'regex' })}
        options={[
          { value: 'path', label: t`Path` },
          { value: 'regex', label: t`Expression` },
        ]}
      />
      <CodeField
        label={rule.regex ? t`Expression of rule ${place}` : t`Path of rule ${place}`}
        hideLabel
        placeholder={rule.regex ? '\\.pdf$' : '/folder'}
        value={rule.text}
        error={problem !== null && (problem !== 'empty' || strict) && problems[problem]}
        onChange={(text) => onEdit({ text })}
      />
      <IconButton size="sm" icon={X} label={t`Remove rule ${place}`} onClick={onRemove} />
    </>
  )
}

function Tester({ rules, before }: { rules: readonly RuleDraft[]; before: readonly RuleDraft[] }) {
  const { t } = useLingui()
  const id = useId()
  const [path, setPath] = useState('')
  const all = [...before, ...rules]
  const matcher = useMatcher(path !== '' && all.some((rule) => rule.regex))
  const full = path.startsWith('/') ? path : `/${path}`
  const clean = full.length > 1 ? full.replace(/\/+$/, '') : full
  const { allow, at } = decide(all, clean, matcher ?? (() => null))
  const own = at - before.length + 1
  const global = at + 1
  return (
    <div className="tester stack sunken">
      <CodeField
        label={t`Test a path`}
        placeholder="/folder/file.pdf"
        aria-controls={id}
        value={path}
        onChange={setPath}
      />
      <output className="tester__verdict row fs-md mid" id={id}>
        {path !== '' && (
          <>
            <Badge tone={allow ? 'ok' : 'danger'} icon={allow ? Check : Ban}>
              {allow ? t`Allowed` : t`Denied`}
            </Badge>
            {at < 0 ? (
              <Trans>No matching rule.</Trans>
            ) : at < before.length ? (
              <Trans>Matched by rule {global} in the global settings.</Trans>
            ) : (
              <Trans>Matched by rule {own}.</Trans>
            )}
          </>
        )}
      </output>
    </div>
  )
}
