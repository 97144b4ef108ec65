import ipaddr from 'ipaddr.js';

/**
 * Ranges of IPv6 that are no place to go to, whatever ipaddr.js makes of them. Its own names of ranges are
 * asked as well; this is the list that must hold.
 */
const REFUSED_V6 = [
  '::/96', // unspecified, loopback and the retired IPv4-compatible form
  '64:ff9b:1::/48', // NAT64 for local use
  '100::/64', // discard
  '100:0:0:1::/64', // dummy prefix
  '2001::/23', // protocol assignments, Teredo among them
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '3fff::/20', // documentation
  '5f00::/16', // segment routing
  'fc00::/7', // unique local
  'fe80::/10', // link local
  'fec0::/10', // site local, retired
  'ff00::/8', // multicast
].map((range) => ipaddr.IPv6.parseCIDR(range));

const REFUSED_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8',
  '169.254.0.0/16', // link local; clouds answer with credentials there
  '172.16.0.0/12',
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16',
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/3', // multicast, reserved, broadcast
].map((range) => ipaddr.IPv4.parseCIDR(range));

/** Global unicast: of IPv6, nothing else is in use. */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');
const MAPPED_V4 = ipaddr.IPv6.parseCIDR('::ffff:0:0/96');
const TRANSLATED_V4 = ipaddr.IPv6.parseCIDR('::ffff:0:0:0/96');
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** Upper half of an interface identifier that holds an IPv4 address (ISATAP), with either value of its bit. */
const ISATAP = new Set([0x00005efe, 0x02005efe]);

/** Names that stand for the machine the sidecar runs on, for its neighbours, or for a cloud's metadata. */
const REFUSED_NAMES: ReadonlySet<string> = new Set([
  'localhost',
  'localhost.localdomain',
  'ip6-localhost',
  'ip6-loopback',
  'sidecar',
  'sandbox',
  'agent',
  'host.docker.internal',
  'gateway.docker.internal',
  'kubernetes.docker.internal',
  'host.containers.internal',
  'host.lima.internal',
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
]);

/** Whether an IP address, in any spelling of a URL's host or of a resolver's answer, is a public one. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  return parsed instanceof ipaddr.IPv4 ? isPublicV4(parsed) : isPublicV6(parsed);
}

/** Whether a host of a {@link Target} may be gone to as far as its name alone tells. */
export function isRefusedHost(host: string): boolean {
  if (host.includes(':') || /^[\d.]+$/.test(host)) return !isPublicAddress(host);
  return REFUSED_NAMES.has(host) || host.endsWith('.localhost');
}

/** Whether a host is an address already, which no resolver is asked for. */
export function isAddress(host: string): boolean {
  return host.includes(':') || ipaddr.IPv4.isValidFourPartDecimal(host);
}

function isPublicV4(address: ipaddr.IPv4): boolean {
  return !REFUSED_V4.some((range) => address.match(range));
}

function isPublicV6(address: ipaddr.IPv6): boolean {
  // A zone belongs to an interface of this machine.
  if (address.zoneId !== undefined && address.zoneId !== '') return false;
  if (address.match(MAPPED_V4) || address.match(NAT64)) return isPublicV4(embeddedV4(address));
  if (address.match(TRANSLATED_V4)) return false;
  if (!address.match(GLOBAL_V6) || REFUSED_V6.some((range) => address.match(range))) return false;
  const bytes = address.toByteArray();
  const upperHalf =
    ((bytes[8] ?? 0) * 2 ** 24 + (bytes[9] ?? 0) * 2 ** 16 + (bytes[10] ?? 0) * 2 ** 8 + (bytes[11] ?? 0)) >>>
    0;
  if (ISATAP.has(upperHalf)) return isPublicV4(embeddedV4(address));
  return address.range() === 'unicast';
}

function embeddedV4(address: ipaddr.IPv6): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}
