// Which language a text is written in: by file name, then by what its first lines say. The grammars
// themselves are chunks of their own and load when a file needs them.

import { LanguageDescription } from '@codemirror/language'
import { languages as packaged } from '@codemirror/language-data'
import { byWord } from './by-word.ts'
import { ownLanguages } from './own-languages.ts'

/** Markdown as GitHub has it, with the code in it coloured by its own language. */
const markdown = LanguageDescription.of({
  name: 'Markdown',
  alias: ['md', 'gfm'],
  extensions: ['md', 'markdown', 'mkd'],
  load: async () => {
    const [{ markdown: support, markdownLanguage }, { yamlFrontmatter }] = await Promise.all([
      import('@codemirror/lang-markdown'),
      import('@codemirror/lang-yaml'),
    ])
    return yamlFrontmatter({
      content: support({ base: markdownLanguage, codeLanguages: (info) => languageNamed(info) }),
    })
  },
})

/** Every language on offer, in the order of their names. */
export const languages: readonly LanguageDescription[] = [
  ...packaged.filter((language) => language.name !== markdown.name),
  markdown,
  ...ownLanguages,
].sort((a, b) => a.name.localeCompare(b.name, 'en'))

/** Whole names, lower case, that say more than an extension does. */
const byName = byWord({
  Makefile: 'makefile gnumakefile makefile.am makefile.in justfile',
  Dockerfile: 'dockerfile containerfile',
  Ruby: 'vagrantfile podfile brewfile fastfile guardfile capfile config.ru .irbrc .pryrc',
  Python: 'sconstruct wscript',
  TOML: 'pipfile cargo.lock poetry.lock uv.lock',
  YAML: 'yarn.lock pnpm-lock.yaml procfile .clang-format .clang-tidy',
  JSON: 'composer.lock pipfile.lock flake.lock .babelrc .eslintrc .prettierrc .swcrc',
  Nginx: 'caddyfile .htaccess',
  Shell:
    'crontab .bashrc .bash_profile .bash_aliases .bash_logout .bash_history .profile .zshrc .zshenv .zprofile .kshrc .envrc .xinitrc',
  'Properties files':
    '.gitconfig .gitmodules .gitattributes .gitignore .dockerignore .npmignore .npmrc .editorconfig .rspec known_hosts sudoers fstab hosts',
  R: '.rprofile',
  'Common Lisp': '.emacs',
})

/** Extensions the packaged list lacks, or gives to a language few people mean. */
const byExtension = byWord({
  Shell: 'zsh fish bats command ash dash ebuild install',
  'Properties files':
    'cfg conf config cnf env service socket timer mount target desktop reg inf prefs',
  JSON: 'jsonc json5 jsonl ndjson geojson topojson webmanifest har ipynb avsc gltf code-workspace',
  HTML: 'xhtml svelte astro ejs mustache njk twig shtml cshtml razor aspx jsp',
  XML: 'plist xsl xslt rss atom xaml resx csproj vbproj fsproj vcxproj props targets nuspec wsdl gpx kml opml xlf ui qrc storyboard xib drawio pom fxml mml musicxml dae collada',
  Markdown: 'mdx mdown mkdn rmd qmd',
  'C++': 'cu cuh ipp inl tpp glsl vert frag comp hlsl metal ixx cppm pde',
  Ruby: 'rake gemspec podspec ru erb rbi jbuilder',
  Python: 'pyi ipy gyp gypi sage star tac wsgi',
  JavaScript: 'es6 jsm gs userjs',
  Groovy: 'gvy gy nf',
  Scala: 'sbt sc',
  Haskell: 'lhs hsc purs',
  Clojure: 'boot bb',
  'Common Lisp': 'lsp asd fasl emacs',
  Scheme: 'rkt sld sls',
  Erlang: 'hrl escript',
  Perl: 'pod psgi',
  Fortran: 'f03 f08 ftn fpp',
  Pascal: 'dpr dpk lpr',
  LaTeX: 'sty cls bib dtx ins',
  SQL: 'ddl dml psql pgsql',
  'VB.NET': 'bas frm vba',
  Gas: 'asm nasm inc',
  'F#': 'fsx fsi',
  D: 'di',
  R: 'rprofile',
  YAML: 'eyaml sublime-syntax cff',
  TOML: 'tml',
  diff: 'rej',
  PHP: 'php8 phps',
  LESS: 'lss',
  'Objective-C': 'm',
  Verilog: 'v',
  Batch: 'bat cmd',
  HCL: 'tf tfvars hcl nomad',
  GraphQL: 'graphql gql graphqls',
  Zig: 'zig zon',
  Nix: 'nix',
  Elixir: 'ex exs',
  Makefile: 'mk mak make',
  Subtitles: 'srt vtt',
  Log: 'log',
})

/** No highlighting, though the packaged list would guess. */
const plainExtensions = new Set(['txt', 'text', 'in', 'map'])

const interpreters = byWord({
  Shell: 'sh bash dash zsh ksh fish',
  Python: 'python pypy',
  JavaScript: 'node',
  TypeScript: 'deno bun ts-node tsx',
  Ruby: 'ruby',
  Perl: 'perl awk',
  PHP: 'php',
  Lua: 'lua luajit',
  Tcl: 'tclsh wish',
  R: 'rscript',
  Julia: 'julia',
  Groovy: 'groovy',
  Scala: 'scala',
  PowerShell: 'pwsh',
  Makefile: 'make',
  Erlang: 'escript',
  Elixir: 'elixir',
  Crystal: 'crystal',
  Scheme: 'racket',
  'Common Lisp': 'sbcl',
  Swift: 'swift',
  Dart: 'dart',
  Kotlin: 'kotlin',
  Nginx: 'nft',
})

/** First lines that give a language away; the text is trimmed at its start. */
const openings: readonly (readonly [RegExp, string])[] = [
  [/^<\?php/, 'PHP'],
  [/^<\?xml\b/, 'XML'],
  [/^<!doctype\s+html|^<html\b/i, 'HTML'],
  [/^<!DOCTYPE\b|^<svg\b/, 'XML'],
  [/^diff --git |^--- \S.*\n\+\+\+ |^Index: .*\n=+/, 'diff'],
  [/^-----BEGIN PGP/, 'PGP'],
  [/^(---|%YAML .*)\s*\n\s*[\w"'-]+\s*:/, 'YAML'],
  [/^\\documentclass|^\\begin\{document\}/, 'LaTeX'],
  [/^(GET|POST|PUT|DELETE|HTTP\/[12])\b.*\n[\w-]+:/, 'HTTP'],
  [/^FROM \S+(\s+AS \S+)?\s*\n/i, 'Dockerfile'],
  [/^package [\w.]+\s*\n[\s\S]*?\bfunc\s/, 'Go'],
  [/^(CREATE|SELECT|INSERT INTO|BEGIN TRANSACTION|PRAGMA)\b[\s\S]*?;/i, 'SQL'],
  [/^From \S+@?\S* \w{3} \w{3}/, 'Mbox'],
  [/^\[[\w .-]+\]\s*\n\s*[\w.-]+\s*=/, 'Properties files'],
  [/^[[{]\s*(["'[{\]}]|-?\d)/, 'JSON'],
]

const HEAD_CHARS = 4096

/** The language of a file, or null for plain text. `text` may be its beginning only. */
export function languageOf(name: string, text: string): LanguageDescription | null {
  const head = text.slice(0, HEAD_CHARS)
  return byModeline(head) ?? byFileName(name, head) ?? byContent(head)
}

/** A language by its name or alias as people write it, e.g. after ``` in Markdown. */
export function languageNamed(name: string): LanguageDescription | null {
  const wanted = name.trim().toLowerCase()
  if (wanted === '') return null
  return (
    languages.find(
      (language) => language.name.toLowerCase() === wanted || language.alias.includes(wanted),
    ) ??
    byExtensionOf(wanted) ??
    languages.find((language) => language.extensions.includes(wanted)) ??
    null
  )
}

function byFileName(name: string, head: string): LanguageDescription | null {
  const lower = name.toLowerCase()
  const whole = byName.get(lower) ?? (/^\.env(\.|$)/.test(lower) ? 'Properties files' : undefined)
  if (whole !== undefined) return languageNamed(whole)
  if (/^(docker|container)file\./.test(lower)) return languageNamed('Dockerfile')
  const named = packaged.find((language) => language.filename?.test(name))
  if (named !== undefined) return named
  const extension = lower.includes('.') ? lower.slice(lower.lastIndexOf('.') + 1) : ''
  if (plainExtensions.has(extension)) return null
  if (extension === 'h' && /^\s*(class|namespace|template\s*<|using)\b/m.test(head)) {
    return languageNamed('C++')
  }
  if (extension === 'm' && /^\s*(%|function\b|end\b)/m.test(head) && !/^\s*[#@]\w/m.test(head)) {
    return languageNamed('Octave')
  }
  if (extension === 'conf' && /^\s*(server|http|events|upstream|location)\b[^\n]*\{/m.test(head)) {
    return languageNamed('Nginx')
  }
  return byExtensionOf(extension) ?? LanguageDescription.matchFilename(languages, lower)
}

function byExtensionOf(extension: string): LanguageDescription | null {
  const name = byExtension.get(extension)
  return name === undefined ? null : exactly(name)
}

function exactly(name: string): LanguageDescription | null {
  return languages.find((language) => language.name === name) ?? null
}

/** `vim: ft=ruby` or `-*- mode: ruby -*-` near the start: the author's own word. */
function byModeline(head: string): LanguageDescription | null {
  const lines = head.split('\n', 5).join('\n')
  const found =
    /\bvim?:.*?\b(?:ft|filetype|syntax)=([\w+#-]+)/.exec(lines) ??
    /-\*-\s*(?:.*?\bmode:\s*)?([\w+#-]+)\s*(?:;.*?)?-\*-/i.exec(lines)
  return found?.[1] === undefined ? null : languageNamed(found[1])
}

function byContent(head: string): LanguageDescription | null {
  const program = /^#!\s*(?:\S*\/)?(?:env\s+(?:-\S+\s+)*)?(\S+)/.exec(head)?.[1]
  if (program !== undefined) {
    const base = program.slice(program.lastIndexOf('/') + 1).replace(/[\d.]+$/, '')
    const name = interpreters.get(base.toLowerCase())
    if (name !== undefined) return exactly(name)
  }
  const start = head.trimStart()
  const hit = openings.find(([pattern]) => pattern.test(start))
  return hit === undefined ? null : exactly(hit[1])
}
