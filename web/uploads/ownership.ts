// Which tab an unfinished upload belongs to: one that runs in another tab is not interrupted.

/** Most answer sooner; what comes later is heard all the same. */
const ANSWER_WAIT_MS = 250

type Message = { kind: 'ask' } | { kind: 'mine'; ids: string[] }

interface Ownership {
  /** Ids of uploads that other tabs are working on, as far as they have answered in time. */
  ofOthers(): Promise<Set<string>>
  /** Told the ids in each answer of another tab. */
  onAnswer: ((ids: readonly string[]) => void) | null
}

/** Answers other tabs with `mine`, the ids of this tab's uploads. */
export function watchOwnership(name: string, mine: () => string[]): Ownership {
  if (typeof BroadcastChannel === 'undefined')
    return { ofOthers: async () => new Set(), onAnswer: null }
  const channel = new BroadcastChannel(name)
  const heard = new Set<string>()
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'ask') {
      const ids = mine()
      if (ids.length > 0) channel.postMessage({ kind: 'mine', ids } satisfies Message)
    } else {
      for (const id of data.ids) heard.add(id)
      ownership.onAnswer?.(data.ids)
    }
  }
  const ownership: Ownership = {
    onAnswer: null,
    async ofOthers() {
      heard.clear()
      channel.postMessage({ kind: 'ask' } satisfies Message)
      await new Promise((resolve) => setTimeout(resolve, ANSWER_WAIT_MS))
      return new Set(heard)
    },
  }
  return ownership
}
