// What holds while uploads run: the page asks before it is left, and the screen does not go to sleep.

let awake = false
let lock: WakeLockSentinel | null = null

function onLeave(event: BeforeUnloadEvent) {
  event.preventDefault()
}

export function warnOnLeaving(on: boolean): void {
  if (on) addEventListener('beforeunload', onLeave)
  else removeEventListener('beforeunload', onLeave)
}

export function keepAwake(on: boolean): void {
  if (on === awake) return
  awake = on
  if (on) {
    document.addEventListener('visibilitychange', acquire)
    acquire()
    return
  }
  document.removeEventListener('visibilitychange', acquire)
  void lock?.release()
  lock = null
}

/** A hidden page loses its lock and takes it again when it returns. */
function acquire() {
  if (!awake || document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return
  navigator.wakeLock.request('screen').then(
    (sentinel) => {
      if (awake) lock = sentinel
      else void sentinel.release()
    },
    () => {
      // Refused, for instance on low battery: uploads go on, the screen may sleep.
    },
  )
}
