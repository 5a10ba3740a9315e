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

/**
 * Addresses that are not of the public internet: the special-purpose registries of IANA (RFC 6890 and what has come since), and 168.63.129.16,
 * by which machines in Azure reach their host.
 */
export const SPECIAL_IPV4_BLOCKS = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/** All that is global is in here (RFC 4291, 2.4): addresses of IPv4 in those of IPv6 are not. */
export const GLOBAL_IPV6_BLOCK = '2000::/3'

/** Of those, what is for tunnels, tests and papers. */
export const SPECIAL_IPV6_BLOCKS = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

/** Networks of houses and companies, where a host may be that an administrator has named. */
export const HOME_BLOCKS = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.168.0.0/16',
  'fc00::/7',
]

/** In one of them, but it tells programs in AWS and others the secrets of their machine. */
export const METADATA_ADDRESSES = ['100.100.100.200/32', 'fd00:ec2::254/128']
