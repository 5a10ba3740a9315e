// Address blocks that have a name.

export const LOOPBACK_BLOCKS = ['127.0.0.0/8', '::1/128']

/** Addresses of networks that are nobody else's. */
export const PRIVATE_BLOCKS = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
]
