// Colours of the editor. File Browser stored the names of its editor's themes with each user, so every
// one of those names leads to the palette nearest to it; an unknown name means the default.

import { byWord } from '../../text/by-word.ts'

const parts = [
  ...(['background', 'text', 'comment', 'activeLine', 'selection'] as const),
  ...(['keyword', 'string', 'number', 'function', 'type', 'property', 'tag'] as const),
]

export interface Palette extends Record<(typeof parts)[number], string> {
  id: string
  /** Shown to people; proper names are the same in every language. */
  name: string
  /** Null follows the page: the colours are tokens that have both themes in them. */
  dark: boolean | null
}

function palette(id: string, name: string, dark: boolean | null, colours: string[]): Palette {
  const named = Object.fromEntries(parts.map((part, at) => [part, colours[at] ?? '']))
  return { id, name, dark, ...(named as Record<(typeof parts)[number], string>) }
}

export const defaultPalette = palette('default', 'Default', null, [
  'var(--surface)',
  'var(--text)',
  'var(--text-3)',
  'var(--hover)',
  'var(--accent-line)',
  'var(--t-video)',
  'var(--t-sheet)',
  'var(--t-image)',
  'var(--accent)',
  'var(--t-code)',
  'var(--t-doc)',
  'var(--t-audio)',
])

// biome-ignore format: one palette is one paragraph of colours
export const palettes: readonly Palette[] = [
  defaultPalette,
  palette('paper', 'Paper', false, ['#ffffff', '#1c1c1c', '#5d6b5d', '#f0f2f5', '#c7d8f5',
    '#0a3db8', '#1a6b1a', '#a02c00', '#6b2fa0', '#0b6a75', '#7a3e00', '#8a0f5a']),
  palette('warm-paper', 'Warm paper', false, ['#fbf8f1', '#33302a', '#766d5d', '#f2ecdd', '#e6dab8',
    '#9c3b1b', '#3d6b1f', '#8a5300', '#3a4f9c', '#6d3a86', '#7a4a12', '#a32a4f']),
  palette('github-light', 'GitHub Light', false, ['#ffffff', '#1f2328', '#59636e', '#f3f5f7', '#b6d7ff',
    '#cf222e', '#0a3069', '#0550ae', '#6639ba', '#953800', '#0550ae', '#116329']),
  palette('github-dark', 'GitHub Dark', true, ['#0d1117', '#e6edf3', '#9198a1', '#161b22', '#264f78',
    '#ff7b72', '#a5d6ff', '#79c0ff', '#d2a8ff', '#ffa657', '#79c0ff', '#7ee787']),
  palette('solarized-light', 'Solarized Light', false, ['#fdf6e3', '#4f626a', '#5f7077', '#eee8d5', '#d9d2bd',
    '#66750a', '#17746d', '#c0257a', '#1f6fb2', '#876300', '#b54011', '#1f6fb2']),
  palette('solarized-dark', 'Solarized Dark', true, ['#002b36', '#a3b3b4', '#7d9199', '#073642', '#155463',
    '#9bb000', '#35b3a8', '#e26aa8', '#4ba3e3', '#d0a215', '#e5743f', '#4ba3e3']),
  palette('monokai', 'Monokai', true, ['#272822', '#f8f8f2', '#9a957f', '#33342c', '#4f5046',
    '#ff6188', '#e6db74', '#ae81ff', '#a6e22e', '#66d9ef', '#a6e22e', '#ff6188']),
  palette('dracula', 'Dracula', true, ['#282a36', '#f8f8f2', '#8d9bc9', '#323443', '#4b4f68',
    '#ff79c6', '#f1fa8c', '#bd93f9', '#50fa7b', '#8be9fd', '#66d9ef', '#ff79c6']),
  palette('nord', 'Nord', true, ['#2e3440', '#d8dee9', '#97a3bb', '#3b4252', '#4c5a72',
    '#81a1c1', '#a3be8c', '#c79dc0', '#88c0d0', '#8fbcbb', '#d8dee9', '#81a1c1']),
  palette('one-dark', 'One Dark', true, ['#282c34', '#c5cbd6', '#8b93a3', '#2f343e', '#455064',
    '#c678dd', '#98c379', '#d8a06a', '#61afef', '#e5c07b', '#e5808a', '#e5808a']),
  palette('gruvbox-light', 'Gruvbox Light', false, ['#fbf1c7', '#3c3836', '#75685a', '#f2e5bc', '#ddcd9e',
    '#9d0006', '#69680a', '#8f3f71', '#3b734f', '#8f5f06', '#076678', '#9d0006']),
  palette('gruvbox-dark', 'Gruvbox Dark', true, ['#282828', '#ebdbb2', '#a3957f', '#32302f', '#504945',
    '#fb6a55', '#b8bb26', '#d3869b', '#8ec07c', '#fabd2f', '#83a598', '#fb6a55']),
  palette('tomorrow', 'Tomorrow', false, ['#ffffff', '#3f3f3e', '#6c6e6a', '#f2f2f2', '#d6d6d6',
    '#7b4fa0', '#5a7000', '#b85b00', '#35639c', '#8a6a00', '#b32024', '#b32024']),
  palette('tomorrow-night', 'Tomorrow Night', true, ['#1d1f21', '#c5c8c6', '#969896', '#282a2e', '#41464d',
    '#b294bb', '#b5bd68', '#de935f', '#81a2be', '#f0c674', '#d98080', '#d98080']),
  palette('tomorrow-night-blue', 'Tomorrow Night Blue', true, ['#002451', '#ffffff', '#8fa3d1', '#00346e', '#0a4c96',
    '#ebbbff', '#d1f1a9', '#ffc58f', '#bbdaff', '#ffeead', '#ff9da4', '#ff9da4']),
  palette('tomorrow-night-bright', 'Tomorrow Night Bright', true, ['#000000', '#eaeaea', '#969896', '#1c1c1c', '#424242',
    '#c397d8', '#b9ca4a', '#e78c45', '#7aa6da', '#e7c547', '#e5696c', '#e5696c']),
  palette('tomorrow-night-eighties', 'Tomorrow Night Eighties', true, ['#2d2d2d', '#d3d0c8', '#a09f93', '#383838', '#525252',
    '#cc99cc', '#99cc99', '#f99157', '#7fa7d6', '#ffcc66', '#f2888a', '#f2888a']),
  palette('twilight', 'Twilight', true, ['#141414', '#f0f0f0', '#8a868c', '#202020', '#3d3a31',
    '#d8b276', '#95a671', '#dd7a5a', '#a9b4d8', '#f3e3a7', '#8aa0c8', '#b8a36e']),
  palette('embers', 'Embers', true, ['#1a1512', '#ecdfd3', '#a08c7a', '#261f1a', '#4a3a2e',
    '#f2843c', '#a9c25c', '#8fbccc', '#f7c46c', '#d8a7c4', '#9ed0b0', '#f2843c']),
  palette('cobalt', 'Cobalt', true, ['#002240', '#ffffff', '#5fa8ff', '#003158', '#1d5080',
    '#ff9d00', '#5ee06a', '#ff80a8', '#ffdd33', '#80ffbb', '#9effff', '#9effff']),
  palette('terminal', 'Terminal', true, ['#050805', '#d9e8d9', '#8da68d', '#0f170f', '#1f3d1f',
    '#ffb454', '#6fdc6f', '#7fd7ff', '#b8f36b', '#ffd75f', '#5fe0c8', '#ff8f70']),
]

/** Theme names of the editor in File Browser 2, and the palette each of them leads to. */
export const aceThemes = byWord({
  embers: 'ambiance idle_fingers kr_theme merbivore merbivore_soft',
  terminal: 'chaos gob terminal',
  paper: 'chrome clouds crimson_editor dreamweaver eclipse sqlserver textmate',
  'github-light': 'cloud9_day cloud_editor github github_light_default iplastic xcode',
  'one-dark': 'cloud9_night cloud9_night_low_color one_dark',
  'github-dark': 'cloud_editor_dark github_dark',
  twilight: 'clouds_midnight twilight',
  cobalt: 'cobalt',
  'warm-paper': 'dawn katzenmilch kuroir',
  dracula: 'dracula',
  'gruvbox-dark': 'gruvbox gruvbox_dark_hard',
  'gruvbox-light': 'gruvbox_light_hard',
  'tomorrow-night-eighties': 'mono_industrial pastel_on_dark tomorrow_night_eighties',
  monokai: 'monokai',
  nord: 'nord_dark',
  'solarized-dark': 'solarized_dark',
  'solarized-light': 'solarized_light',
  tomorrow: 'tomorrow',
  'tomorrow-night': 'tomorrow_night',
  'tomorrow-night-blue': 'tomorrow_night_blue',
  'tomorrow-night-bright': 'tomorrow_night_bright vibrant_ink',
})

/** The palette for the theme in a user record; spaces, hyphens and a path prefix do not matter. */
export function paletteOf(theme: string): Palette {
  const name = theme
    .trim()
    .toLowerCase()
    .replace(/^ace\/theme\//, '')
  const id = aceThemes.get(name.replace(/[\s-]+/g, '_')) ?? name.replace(/[\s_]+/g, '-')
  return palettes.find((entry) => entry.id === id) ?? defaultPalette
}
