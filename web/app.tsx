// Which screen an address shows, and who may see it. The files are part of the start, as nearly
// everybody goes there; the other screens load on demand.

import { type ReactNode, Suspense, useEffect } from 'react'
import { useSnapshot } from 'valtio'
import { Redirect, Route, Router, Switch } from 'wouter'
import { ErrorBoundary } from './layout/boundary.tsx'
import { useFirstLoadOver } from './layout/first-load.ts'
import { Frame } from './layout/frame.tsx'
import { boot } from './lib/boot.ts'
import { currentPath, go, usePath, useRawLocation } from './lib/page/navigate.ts'
import { onDemand, onDemandBeside } from './lib/page/on-demand.tsx'
import { dismissPrompts, prompts } from './operations/prompts.ts'
import { toasts } from './operations/toasts.ts'
import { FilesScreen } from './screens/files.tsx'
import { PageCommands } from './screens/page-commands.tsx'
import { session, wasSignedIn } from './state/session.ts'
import { closeShell } from './state/shell.ts'
import { ShellDock } from './terminal/dock.tsx'
import { Spinner } from './ui/progress.tsx'
import { UploadDock } from './uploads/dock.tsx'

const ShareScreen = onDemand(async () => (await import('./screens/share.tsx')).ShareScreen)
const LoginScreen = onDemand(async () => (await import('./screens/login.tsx')).LoginScreen)
const ErrorScreen = onDemand(async () => (await import('./screens/error.tsx')).ErrorScreen)
const SettingsScreen = onDemand(
  async () => (await import('./settings/settings.tsx')).SettingsScreen,
)
const SignInAgain = onDemand(async () => (await import('./screens/sign-in-again.tsx')).SignInAgain)

const Overlays = onDemandBeside(async () => (await import('./screens/overlays.tsx')).Overlays)

/** Fetches the likely screen while the session is still being asked for. */
export function preloadScreen(): void {
  // A failure shows when the screen is rendered, which tries again.
  if (currentPath().startsWith('/share/')) import('./screens/share.tsx').catch(() => {})
}

export function App() {
  const { state } = useSnapshot(session)
  return (
    <Router hook={useRawLocation}>
      <ErrorBoundary>
        <Suspense fallback={null}>
          <Screens />
        </Suspense>
        {state === 'expired' && (
          <Suspense fallback={null}>
            <SignInAgain />
          </Suspense>
        )}
      </ErrorBoundary>
      {(state === 'in' || state === 'expired') && (
        <ErrorBoundary fallback={null}>
          <UploadDock />
        </ErrorBoundary>
      )}
      <OverlayHost />
    </Router>
  )
}

/** What could not be loaded is loaded again with the next dialog or message. */
function OverlayHost() {
  const [message] = useSnapshot(toasts).list
  const dialog = useSnapshot(prompts).stack.at(-1)
  const isWanted = useFirstLoadOver() || message !== undefined || dialog !== undefined
  return (
    <ErrorBoundary
      resetKey={`${message?.id} ${dialog?.id}`}
      onError={dismissPrompts}
      fallback={null}
    >
      {isWanted && <Overlays />}
    </ErrorBoundary>
  )
}

function Screens() {
  const path = usePath()
  // A dialog belongs to the screen it was opened on.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is the trigger
  useEffect(() => dismissPrompts(), [path])

  return (
    <Switch>
      <Route key="files" path={/^\/files(?=\/|$)/}>
        <Guarded>
          <FilesScreen />
          <ErrorBoundary resetKey={path} onError={closeShell} fallback={null}>
            <Suspense fallback={null}>
              <ShellDock />
            </Suspense>
          </ErrorBoundary>
        </Guarded>
      </Route>
      <Route path={/^\/share\//}>
        <ShareScreen />
      </Route>
      <Route path="/login">
        <LoginScreen />
      </Route>
      <Route path={/^\/(403|404|500)$/}>
        {({ 0: code = '404' }) => <ErrorScreen code={code} />}
      </Route>
      <Route path="/settings">
        <Redirect to="/settings/profile" replace />
      </Route>
      <Route path="/settings/*">
        <Guarded>
          <SettingsScreen />
        </Guarded>
      </Route>
      <Route>
        <ToFiles />
      </Route>
    </Switch>
  )
}

/** The frame with a screen in it, for those who are signed in; the login page for the others. */
function Guarded({ children }: { children: ReactNode }) {
  const path = usePath()
  const { state, startError } = useSnapshot(session)
  const signedOut = state === 'out'
  useEffect(() => {
    if (signedOut && !startError) void toLogin()
  }, [signedOut, startError])
  if (signedOut) return startError ? <ErrorScreen error={startError} /> : null
  return (
    <Frame>
      <ErrorBoundary resetKey={path} fallback={null}>
        <PageCommands />
      </ErrorBoundary>
      <Suspense
        fallback={
          <div className="sheet__wait center">
            <Spinner large />
          </div>
        }
      >
        <ErrorBoundary resetKey={path}>{children}</ErrorBoundary>
      </Suspense>
    </Frame>
  )
}

async function toLogin(): Promise<void> {
  const query = new URLSearchParams()
  const target = location.pathname.slice(boot.BaseURL.length) + location.search
  if (target !== '/files/' && target !== '/') query.set('redirect', target)
  if (wasSignedIn()) query.set('logout-reason', 'inactivity')
  const text = query.toString()
  await go(text === '' ? '/login' : `/login?${text}`, { replace: true, force: true })
}

/** Any other address is taken for a path of a file. */
function ToFiles() {
  const path = usePath()
  useEffect(() => {
    void go(`/files${path}${location.search}`, { replace: true, force: true })
  }, [path])
  return null
}
