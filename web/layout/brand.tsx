// Logo and name of the instance. The picture can be replaced in the branding folder; while or when
// it does not load, its place stays empty rather than broken.

import { useState } from 'react'
import { boot, instanceName } from '../lib/boot.ts'

export function Brand() {
  return (
    <a className="brand row strong shrinks rounded" href={`${boot.BaseURL}/files/`}>
      <Logo />
      <span className="trunc">{instanceName}</span>
    </a>
  )
}

export function Logo({ className = 'logo' }: { className?: string }) {
  const [failed, setFailed] = useState(false)
  if (failed) return <span className={className} />
  return (
    <img
      className={className}
      src={`${boot.StaticURL}/img/logo.svg`}
      alt=""
      draggable={false}
      onError={() => setFailed(true)}
    />
  )
}
