// The matrix of permissions of the black-box suite, of people who have all of them: records of folders take away what
// the switches of the recording do. `SUITE` is where the suite lies.
import { join } from 'node:path'

const { default: recorded } = await import(
  join(process.env.SUITE, 'scenarios/authz-permissions.mjs')
)

export default function scenario(kit) {
  const made = recorded(kit)
  const grants = made.users.flatMap(({ perm }, i) => {
    const said = Object.entries(perm).filter(
      ([verb, has]) => !has && !['admin', 'execute'].includes(verb),
    )
    // The administrator is the first.
    return said.length > 0 ? [{ who: `user:${i + 2}`, ...Object.fromEntries(said) }] : []
  })
  const body = { place: '/', as: '', quota: null, grants, current_password: kit.PASSWORD }
  return {
    ...made,
    users: made.users.map((user) => ({ ...user, perm: kit.perm() })),
    prepare: async (ctx) => {
      await made.prepare?.(ctx)
      const { status, text } = await ctx.call('admin PUT /api/folders', { body })
      if (status !== 200) throw new Error(`the record was refused with ${status}: ${text}`)
    },
  }
}
