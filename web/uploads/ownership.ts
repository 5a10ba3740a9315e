// Which tab an unfinished upload belongs to: one that runs in another tab is not interrupted.

const ANSWER_WAIT_MS = 250

type Message = { kind: 'ask' } | { kind: 'mine'; ids: string[] }

interface Ownership {
  /** Ids of uploads that other tabs are working on. */
  ofOthers(): Promise<Set<string>>
}

/** Answers other tabs with `mine`, the ids of this tab's uploads. */
export function watchOwnership(name: string, mine: () => string[]): Ownership {
  if (typeof BroadcastChannel === 'undefined') return { ofOthers: async () => new Set() }
  const channel = new BroadcastChannel(name)
  const heard = new Set<string>()
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'ask') {
      const ids = mine()
      if (ids.length > 0) channel.postMessage({ kind: 'mine', ids } satisfies Message)
    } else {
      for (const id of data.ids) heard.add(id)
    }
  }
  return {
    async ofOthers() {
      heard.clear()
      channel.postMessage({ kind: 'ask' } satisfies Message)
      await new Promise((resolve) => setTimeout(resolve, ANSWER_WAIT_MS))
      return new Set(heard)
    },
  }
}
