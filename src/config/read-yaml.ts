// YAML as the original's reader takes it: YAML 1.2 with the whole numbers of 1.1, where a leading 0
// means octal. File modes are written so.
import { parse, type ScalarTag } from 'yaml'

const INTEGER = 'tag:yaml.org,2002:int'

const octal: ScalarTag = {
  tag: INTEGER,
  default: true,
  test: /^[-+]?0_*[0-7][0-7_]*$/,
  resolve: (text) => Number.parseInt(text.replaceAll('_', ''), 8),
}

const grouped: ScalarTag = {
  tag: INTEGER,
  default: true,
  test: /^[-+]?[1-9]\d*_[\d_]*$/,
  resolve: (text) => Number(text.replaceAll('_', '')),
}

/** The value of a document; null for an empty one. Throws an Error that names line and column. */
export function parseYaml(text: string): unknown {
  return parse(text, {
    customTags: (tags) => [octal, grouped, ...tags],
    maxAliasCount: 100,
    logLevel: 'error',
  })
}
