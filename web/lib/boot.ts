// The start-up settings that came with the page. They do not change until it is loaded again.

import type { BootSettings } from '../../src/api-types.ts'

const defaults: BootSettings = {
  AuthMethod: 'json',
  BaseURL: '',
  CSS: false,
  Color: '',
  DisableExternal: false,
  DisableUsedPercentage: false,
  EnableExec: false,
  EnableThumbs: true,
  HideLoginButton: false,
  LoginPage: true,
  LogoutPage: '/login',
  Name: '',
  NoAuth: false,
  ReCaptcha: false,
  ResizePreview: true,
  Signup: false,
  StaticURL: '/static',
  Theme: '',
  TusSettings: { chunkSize: 10 * 1024 * 1024, retryCount: 5 },
  Version: '',
  HelpURL: '',
  MinimumPasswordLength: 12,
  MissingArchives: [],
  Trash: 'off',
}

export const boot: Readonly<BootSettings> = { ...defaults, ...globalThis.window?.FileBrowser }

export const instanceName = boot.Name || 'File Browser'

/** What is deleted is kept for a while, unless somebody asks otherwise. */
export const hasTrash = boot.Trash !== 'off'

/** Files can be fetched onto the server from other addresses. */
export const canFetch = boot.Fetch === true

/** What is replaced stays as a version. */
export const hasVersions = boot.Versions === true

/** What was changed can be taken back on the server. */
export const hasHistory = hasTrash || hasVersions

/** True when logging out makes sense: somebody logged in by themselves, or there is a page for it. */
export const canLogOut = !boot.NoAuth && (boot.LoginPage || boot.LogoutPage !== '/login')
