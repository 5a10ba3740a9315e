// Which screens are photographed, by the names of the drafts they were designed by.

import { dragTo, entry } from '../../test/web/listing-steps.ts'
import { LAUNCH } from './sample-folder.ts'
import {
  cancelUploads,
  dragFiles,
  hold,
  listed,
  openShare,
  pictureShown,
  type Scene,
  selectionBar,
  selectThree,
  settingsShown,
  upload,
  uploadThree,
  view,
} from './steps.ts'

export interface Shot {
  /** `/share/folder` and `/share/file` stand for the links made for the pictures. */
  path: string
  /** A third picture, `<name>-rtl-light`, in Arabic. */
  rtl?: true
  phone?: true
  /** Nobody is signed in. */
  visitor?: true
  /** Up to the moment of the picture. */
  prepare(scene: Scene): Promise<unknown>
  /** Afterwards, so that the next picture finds the folder as it was. */
  after?(scene: Scene): Promise<unknown>
}

const HOME = `/files/${LAUNCH}`

const onDesk: Record<string, Shot> = {
  login: {
    path: '/login',
    visitor: true,
    rtl: true,
    prepare: ({ page }) => page.getByRole('textbox').first().waitFor(),
  },
  list: { path: HOME, rtl: true, prepare: selectThree },
  mosaic: { path: HOME, prepare: (scene) => view(scene, 'Grid') },
  gallery: { path: HOME, prepare: (scene) => view(scene, 'Gallery') },
  'context-menu': {
    path: HOME,
    rtl: true,
    async prepare(scene) {
      await view(scene, 'List')
      const name = entry(scene.page, 'dawn-hero.jpg').locator('.name')
      await name.click({ button: 'right' })
      await scene.page.getByRole('menu').waitFor()
    },
  },
  delete: {
    path: HOME,
    async prepare(scene) {
      await selectThree(scene)
      await scene.page.keyboard.press('Shift+Delete')
      await scene.page.getByRole('alertdialog').waitFor()
    },
  },
  drag: {
    path: HOME,
    async prepare(scene) {
      const { page } = scene
      await selectThree(scene)
      await dragTo(page, entry(page, 'dawn-hero.jpg'), entry(page, 'Brand assets'), { drop: false })
    },
  },
  drop: { path: HOME, prepare: (scene) => dragFiles(scene, 8) },
  editor: {
    path: `${HOME}launch-plan.md`,
    rtl: true,
    prepare: ({ page, say }) => page.getByRole('radio', { name: say('Split') }).check(),
  },
  empty: {
    path: '/files/Projects/Nothing%20yet/',
    prepare: ({ page }) => page.getByRole('heading').first().waitFor(),
  },
  'error-404': {
    path: '/files/Projects/Borealis/',
    prepare: ({ page }) => page.getByRole('heading', { level: 1 }).waitFor(),
  },
  help: {
    path: HOME,
    async prepare(scene) {
      await view(scene, 'List')
      await scene.page.keyboard.press('F1')
      await scene.page.getByRole('dialog').waitFor()
    },
  },
  move: {
    path: HOME,
    async prepare(scene) {
      await selectThree(scene)
      await selectionBar(scene)
        .getByRole('button', { name: scene.say('Move') })
        .click()
      await scene.page.getByRole('dialog').waitFor()
    },
  },
  palette: {
    path: HOME,
    async prepare(scene) {
      await view(scene, 'List')
      await scene.page.keyboard.press('Control+k')
      await scene.page.getByRole('option').first().waitFor()
    },
  },
  'public-folder': {
    path: '/share/folder',
    visitor: true,
    rtl: true,
    prepare: ({ page }) => page.getByRole('row').nth(4).waitFor(),
  },
  'public-file': {
    path: '/share/file',
    visitor: true,
    prepare: ({ page }) => page.locator('.vw-picture > img[data-shown=true]').waitFor(),
  },
  search: {
    path: HOME,
    rtl: true,
    async prepare(scene) {
      await view(scene, 'List')
      await scene.page.keyboard.press('Control+Shift+F')
      await scene.page.getByRole('combobox').fill('re')
      await scene.page.getByRole('option').nth(2).waitFor()
    },
  },
  'settings-profile': { path: '/settings/profile', rtl: true, prepare: settingsShown },
  'settings-global': { path: '/settings/global', rtl: true, prepare: settingsShown },
  'settings-users': {
    path: '/settings/users',
    prepare: ({ page }) => page.getByText('jonas').waitFor(),
  },
  'settings-user-form': { path: '/settings/users/new', prepare: settingsShown },
  share: { path: HOME, rtl: true, prepare: openShare },
  shell: {
    path: HOME,
    async prepare(scene) {
      const { page, say } = scene
      await view(scene, 'List')
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill(say('Open in terminal'))
      await page.getByRole('option', { name: say('Open in terminal'), exact: true }).click()
      await page.locator('.xterm-rows').getByText('❯').first().waitFor()
      await page.keyboard.type('ls')
      await page.keyboard.press('Enter')
      await page.locator('.xterm-rows').getByText('tokens.json').first().waitFor()
    },
  },
  viewer: { path: `${HOME}dawn-hero.jpg`, rtl: true, prepare: pictureShown },
  conflict: { path: HOME, prepare: (scene) => upload(scene, ['tokens.json', 'deploy.sh']) },
  upload: { path: HOME, rtl: true, after: cancelUploads, prepare: uploadThree },
}

const onPhone: Record<string, Omit<Shot, 'phone'>> = {
  'mobile-list': { path: HOME, rtl: true, prepare: listed },
  'mobile-selection': {
    path: HOME,
    async prepare(scene) {
      await hold(scene, 'dawn-hero.jpg')
      await entry(scene.page, 'deploy.sh').tap()
    },
  },
  'mobile-actions': {
    path: HOME,
    async prepare({ page }) {
      await entry(page, 'dawn-hero.jpg').getByRole('button').last().tap()
      await page.getByRole('menu').waitFor()
    },
  },
  'mobile-login': {
    path: '/login',
    visitor: true,
    prepare: ({ page }) => page.getByRole('textbox').first().waitFor(),
  },
  'mobile-viewer': { path: `${HOME}dawn-hero.jpg`, prepare: pictureShown },
  'mobile-editor': {
    path: `${HOME}launch-plan.md`,
    prepare: ({ page }) => page.locator('.cm-content').waitFor(),
  },
  'mobile-upload': { path: HOME, rtl: true, after: cancelUploads, prepare: uploadThree },
  'mobile-share': {
    path: HOME,
    async prepare({ page, say }) {
      await entry(page, 'dawn-hero.jpg').getByRole('button').last().tap()
      await page.getByRole('menuitem', { name: say('Share') }).tap()
      await page.getByRole('dialog').waitFor()
    },
  },
  'mobile-public-folder': {
    path: '/share/folder',
    visitor: true,
    prepare: ({ page }) => page.getByRole('row').nth(4).waitFor(),
  },
  'mobile-settings': { path: '/settings/profile', prepare: settingsShown },
}

/** Each by the beginning of its pictures' names. */
export const shots: Record<string, Shot> = {
  ...onDesk,
  ...Object.fromEntries(
    Object.entries(onPhone).map(([name, shot]) => [name, { ...shot, phone: true }]),
  ),
}
