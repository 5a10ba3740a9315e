// The plain text of `config cat`, in the columns scripts know.
import {
  DEFAULT_KEEP_AGE,
  DEFAULT_KEEP_SIZE,
  DEFAULT_LOGOUT_PAGE,
  type Settings,
} from '../../store/document.ts'
import { alignColumns } from '../print.ts'
import { goJson, presentAuther } from './portable.ts'

/** `raw` shows what is stored (as `config init` does), else empty values as they will be read. */
export function dumpSettings(settings: Settings, { raw = false } = {}): string {
  const { branding, server, tus, defaults } = settings
  const logoutPage = settings.logoutPage || (raw ? '' : DEFAULT_LOGOUT_PAGE)
  const lines = [
    `Sign up:\t${settings.signup}`,
    `Hide Login Button:\t${settings.hideLoginButton}`,
    `Create User Dir:\t${settings.createUserDir}`,
    `Logout Page:\t${logoutPage}`,
    `Minimum Password Length:\t${settings.minimumPasswordLength}`,
    `Auth Method:\t${settings.authMethod}`,
    // Ours, so only where it was chosen: scripts know the columns of the original.
    ...(settings.secondFactor === 'optional' ? [] : [`Second Factor:\t${settings.secondFactor}`]),
    ...(settings.keepAge === DEFAULT_KEEP_AGE ? [] : [`Keep Age:\t${settings.keepAge}`]),
    ...(settings.keepSize === DEFAULT_KEEP_SIZE ? [] : [`Keep Size:\t${settings.keepSize}`]),
    `Shell:\t${settings.shell.join(' ')}\t`,
    '',
    'Branding:',
    `\tName:\t${branding.name}`,
    `\tFiles override:\t${branding.files}`,
    `\tDisable external links:\t${branding.disableExternal}`,
    `\tDisable used disk percentage graph:\t${branding.disableUsedPercentage}`,
    `\tColor:\t${branding.color}`,
    `\tTheme:\t${branding.theme}`,
    '',
    'Server:',
    `\tLog:\t${server.log}`,
    `\tPort:\t${server.port}`,
    `\tBase URL:\t${server.baseURL}`,
    `\tRoot:\t${server.root}`,
    `\tSocket:\t${server.socket}`,
    `\tAddress:\t${server.address}`,
    `\tTLS Cert:\t${server.tlsCert}`,
    `\tTLS Key:\t${server.tlsKey}`,
    `\tToken Expiration Time:\t${server.tokenExpirationTime}`,
    `\tExec Enabled:\t${server.enableExec}`,
    `\tThumbnails Enabled:\t${server.enableThumbnails}`,
    `\tResize Preview:\t${server.resizePreview}`,
    `\tType Detection by Header:\t${server.typeDetectionByHeader}`,
    `\tFollow External Symlinks:\t${server.followExternalSymlinks}`,
    '',
    'TUS:',
    `\tChunk size:\t${tus.chunkSize}`,
    `\tRetry count:\t${tus.retryCount}`,
    '',
    'Defaults:',
    `\tScope:\t${defaults.scope}`,
    `\tDateFormat:\t${defaults.dateFormat}`,
    `\tHideDotfiles:\t${defaults.hideDotfiles}`,
    `\tLocale:\t${defaults.locale}`,
    `\tView mode:\t${defaults.viewMode}`,
    `\tSingle Click:\t${defaults.singleClick}`,
    `\tRedirect after Copy/Move:\t${defaults.redirectAfterCopyMove}`,
    `\tFile Creation Mode:\t${octal(settings.fileMode)}`,
    `\tDirectory Creation Mode:\t${octal(settings.dirMode)}`,
    `\tCommands:\t${defaults.commands.join(' ')}`,
    `\tAce editor syntax highlighting theme:\t${defaults.aceEditorTheme}`,
    '\tSorting:',
    `\t\tBy:\t${defaults.sorting.by}`,
    `\t\tAsc:\t${defaults.sorting.asc}`,
    '\tPermissions:',
    `\t\tAdmin:\t${defaults.perm.admin}`,
    `\t\tExecute:\t${defaults.perm.execute}`,
    `\t\tCreate:\t${defaults.perm.create}`,
    `\t\tRename:\t${defaults.perm.rename}`,
    `\t\tModify:\t${defaults.perm.modify}`,
    `\t\tDelete:\t${defaults.perm.delete}`,
    `\t\tShare:\t${defaults.perm.share}`,
    `\t\tDownload:\t${defaults.perm.download}`,
    '',
    'Auther configuration (raw):',
    '',
  ]
  return `${alignColumns(lines).join('\n')}\n${goJson(presentAuther(settings), 2)}\n\n`
}

function octal(mode: number): string {
  return `0o${mode.toString(8)}`
}
