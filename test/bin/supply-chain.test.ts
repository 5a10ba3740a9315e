// What the executable is made of can be told: a bill of materials in CycloneDX, and the licences of all.
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { IN_FILES } from '../../scripts/build/lazy-modules.ts'
import { OUT_DIR, PACKAGE, ROOT } from '../../scripts/build/paths.ts'
import { ON_DEMAND } from '../../scripts/build/server.ts'
import { bundledPackages } from '../../scripts/package/bundled-packages.ts'
import { nodeVersion } from '../../scripts/package/node-binary.ts'
import { type Bill, makeBill } from '../../scripts/package/sbom.ts'
import { hostTarget } from '../../scripts/package/targets.ts'
import { programCommand } from '../support/program.ts'

const [, ...leading] = programCommand()

describe.skipIf(leading.length > 0)('the bill of materials', () => {
  let bill: Bill
  beforeAll(async () => {
    bill = JSON.parse(await readFile(join(OUT_DIR, 'filebrowser.cdx.json'), 'utf8')) as Bill
  })

  it('has the structure of CycloneDX 1.6', () => {
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 })
    const all = [bill.metadata.component, ...bill.components]
    for (const one of all) {
      expect(['application', 'library', 'platform']).toContain(one.type)
      expect(one.name, one['bom-ref']).toMatch(/^[^@/]+$/)
      expect(one.version, one.name).toMatch(/^\d+\.\d+\.\d+/)
      expect(one.purl, one.name).toMatch(/^pkg:(npm\/(%40[^/@]+\/)?|generic\/)[^/@]+@[^@]+$/)
      expect(one.licenses, one.name).toHaveLength(1)
      for (const license of one.licenses ?? [])
        if ('license' in license) expect(license.license.id, one.name).toMatch(/^[\w.+-]+$/)
        else expect(license.expression, one.name).toMatch(/^\(?[\w.+-]+ (AND|OR|WITH) [\w.+() -]+$/)
      for (const { content } of one.hashes ?? []) expect(content).toMatch(/^[\da-f]{128}$/)
    }
    const refs = all.map((one) => one['bom-ref'])
    expect(new Set(refs).size).toBe(refs.length)
    expect(bill.dependencies.map(({ ref }) => ref).sort()).toEqual([...refs].sort())
    for (const { ref, dependsOn } of bill.dependencies) {
      expect(new Set(dependsOn).size, ref).toBe(dependsOn.length)
      for (const needed of dependsOn) expect(refs, ref).toContain(needed)
    }
  })

  it('names Node and every package in the executable, each with the digest it was installed by', () => {
    const listed = bill.components.map(({ group, name, version }) =>
      group ? `${group}/${name}@${version}` : `${name}@${version}`,
    )
    const bundled = bundledPackages(hostTarget()).map(({ name, version }) => `${name}@${version}`)
    expect(listed).toEqual([`node@${nodeVersion(hostTarget())}`, ...bundled])
    for (const name of ['hono', 'react', 'sharp', '@node-rs/argon2', 'pdfjs-dist', 'comlink'])
      expect(
        listed.some((one) => one.startsWith(`${name}@`)),
        name,
      ).toBe(true)
    expect(bill.components.filter(({ hashes }) => hashes === undefined)).toEqual([])
  })

  it('leads from the program to everything', () => {
    const needs = new Map(bill.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
    const reached = new Set<string>()
    const visit = (ref: string) => {
      if (reached.has(ref)) return
      reached.add(ref)
      needs.get(ref)?.forEach(visit)
    }
    visit(bill.metadata.component['bom-ref'])
    expect([...needs.keys()].filter((ref) => !reached.has(ref))).toEqual([])
  })

  it('is not made for a package that the lock file does not have', () => {
    const [first] = bundledPackages(hostTarget())
    if (!first) throw new Error('nothing is bundled')
    const target = hostTarget()
    const options = {
      product: PACKAGE,
      target,
      nodeVersion: nodeVersion(hostTarget()),
      packages: [first],
    }
    const lock = { [first.lockKey]: { version: '0.0.0' } }
    expect(() => makeBill({ ...options, lock })).toThrow(`no ${first.name} ${first.version}`)
  })

  it('has its licences in THIRD-PARTY-NOTICES, each with its text', async () => {
    const notices = await readFile(join(ROOT, 'THIRD-PARTY-NOTICES'), 'utf8')
    const sections = new Map(
      notices.split(`${'='.repeat(80)}\n`).map((text) => [text.split('\n', 1)[0], text]),
    )
    const lacking = bundledPackages(hostTarget()).filter(({ name, version, license }) => {
      const text = sections.get(`${name} ${version}`)
      // The shortest of all licences has 400 characters.
      return !text?.includes(`Licence: ${license}`) || text.length < 400
    })
    expect(lacking.map(({ name }) => name)).toEqual([])
    expect(sections.get(`Node.js ${nodeVersion(hostTarget())}`)?.length).toBeGreaterThan(10_000)
  })
})

describe('the server bundle', () => {
  it('is ASCII, as one other character doubles what its text takes of the memory', async () => {
    for (const file of ['main.cjs', 'quick.process.cjs', 'preview.process.cjs']) {
      const text = await readFile(join(OUT_DIR, 'server', file), 'utf8')
      expect(/[^\x00-\x7f]+/.exec(text)?.[0], file).toBe(undefined)
    }
  })

  it('has what many never switch on in files of their own', async () => {
    const { outputs } = JSON.parse(
      await readFile(join(OUT_DIR, 'server-metafile.json'), 'utf8'),
    ) as { outputs: Record<string, { inputs: Record<string, unknown> }> }
    const filesWith = (name: string) =>
      Object.entries(outputs)
        .filter(([, { inputs }]) =>
          Object.keys(inputs).some((input) => input.includes(`node_modules/${name}/`)),
        )
        .map(([file]) => basename(file))
    for (const name of [...ON_DEMAND, ...IN_FILES]) {
      expect(filesWith(name)).toContain(`${name}.cjs`)
      expect(filesWith(name)).not.toContain('main.cjs')
    }
    expect(filesWith('oauth4webapi')).toEqual(['openid-client.cjs'])
    expect(filesWith('@simplewebauthn/server')).toEqual(['passkey.worker.cjs'])
  })
})

describe('the page', () => {
  it('has no style sheet that nothing loads', async () => {
    const folder = join(OUT_DIR, 'web', 'static')
    const names = (await readdir(folder, { recursive: true })).filter(
      (name) => !name.endsWith('.br'),
    )
    const { styles } = JSON.parse(await readFile(join(OUT_DIR, 'web', 'assets.json'), 'utf8'))
    const scripts = names.filter((name) => name.endsWith('.js'))
    const texts = await Promise.all(scripts.map((name) => readFile(join(folder, name), 'utf8')))
    const sheets = names.filter((name) => name.endsWith('.css'))
    expect(sheets.length).toBeGreaterThan(10)
    const unread = (name: string) =>
      !styles.includes(name) && !texts.some((text) => text.includes(basename(name)))
    expect(sheets.filter(unread)).toEqual([])
  })
})
