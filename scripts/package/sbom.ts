// The software bill of materials of an executable: CycloneDX 1.6 as JSON.
// https://cyclonedx.org/docs/1.6/json/
import type { BundledPackage } from './bundled-packages.ts'
import type { Target } from './targets.ts'

/** What package-lock.json says of a package. */
export interface LockedPackage {
  version: string
  /** `sha512-<base64>`, several ones separated by blanks. */
  integrity?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

export interface BillOptions {
  product: { name: string; version: string; license: string; description: string }
  target: Target
  /** The Node inside the executable. */
  nodeVersion: string
  packages: readonly BundledPackage[]
  /** `packages` of package-lock.json. */
  lock: Readonly<Record<string, LockedPackage>>
}

interface Component {
  type: 'application' | 'library' | 'platform'
  'bom-ref': string
  group?: string
  name: string
  version: string
  description?: string
  licenses?: ({ license: { id: string } } | { expression: string })[]
  purl: string
  hashes?: { alg: 'SHA-512'; content: string }[]
}

export interface Bill {
  $schema: string
  bomFormat: 'CycloneDX'
  specVersion: '1.6'
  version: 1
  metadata: { component: Component; properties: { name: string; value: string }[] }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

/**
 * Lists Node and every package in the executable with version, licence, the digest of the archive it
 * was installed from, and what needs what. Without time and serial number, which the format leaves
 * open: the same build gives the same bytes. Throws for a package that package-lock.json does not have.
 */
export function makeBill({ product, target, nodeVersion, packages, lock }: BillOptions): Bill {
  const productRef = `pkg:generic/${product.name}@${product.version}`
  const nodeRef = `pkg:generic/node@${nodeVersion}`
  const refs = new Map(packages.map((one) => [one.lockKey, purlOf(one)]))
  const dependencies = packages.map((one) => ({
    ref: purlOf(one),
    dependsOn: needsOf(one.lockKey, lock).flatMap((key) => refs.get(key) ?? []),
  }))
  const needed = new Set(dependencies.flatMap(({ dependsOn }) => dependsOn))
  const direct = [...refs.values()].filter((ref) => !needed.has(ref))
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': productRef,
        name: product.name,
        version: product.version,
        description: product.description,
        licenses: licensesOf(product.license),
        purl: productRef,
      },
      properties: [{ name: 'filebrowser:platform', value: target.name }],
    },
    components: [
      {
        type: 'platform',
        'bom-ref': nodeRef,
        name: 'node',
        version: nodeVersion,
        licenses: licensesOf('MIT'),
        purl: nodeRef,
        ...hashesOf(lock[`node_modules/${target.nodePackage}`]),
      },
      ...packages.map((one) => toComponent(one, lock)),
    ],
    dependencies: [
      { ref: productRef, dependsOn: [nodeRef, ...direct].sort() },
      { ref: nodeRef, dependsOn: [] },
      ...dependencies.map(({ ref, dependsOn }) => ({
        ref,
        dependsOn: [...new Set(dependsOn)].sort(),
      })),
    ],
  }
}

function toComponent(one: BundledPackage, lock: BillOptions['lock']): Component {
  const locked = lock[one.lockKey]
  if (locked?.version !== one.version)
    throw new Error(`package-lock.json has no ${one.name} ${one.version}`)
  const [, group, name = one.name] = /^(@[^/]+)\/(.+)$/.exec(one.name) ?? []
  return {
    type: 'library',
    'bom-ref': purlOf(one),
    ...(group !== undefined && { group }),
    name,
    version: one.version,
    ...(one.license !== '' && { licenses: licensesOf(one.license) }),
    purl: purlOf(one),
    ...hashesOf(locked),
  }
}

/** Package URL of npm: the scope's `@` is encoded. https://github.com/package-url/purl-spec */
function purlOf({ name, version }: Pick<BundledPackage, 'name' | 'version'>): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

function licensesOf(license: string): NonNullable<Component['licenses']> {
  return / (OR|AND|WITH) /.test(license)
    ? [{ expression: license }]
    : [{ license: { id: license } }]
}

function hashesOf(locked: LockedPackage | undefined): Pick<Component, 'hashes'> {
  const digest = /(?:^|\s)sha512-(\S+)/.exec(locked?.integrity ?? '')?.[1]
  if (digest === undefined) return {}
  return { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }
}

/** Keys of what a package needs, found as Node finds it: beside it, then further up. */
function needsOf(key: string, lock: BillOptions['lock']): string[] {
  const locked = lock[key]
  const names = Object.keys({ ...locked?.dependencies, ...locked?.optionalDependencies })
  return names.flatMap((name) => {
    for (let at = key; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
      const place = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`
      if (lock[place]) return [place]
      if (at === '') return []
    }
  })
}
