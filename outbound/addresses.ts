import { BlockList, isIP } from 'node:net';

/**
 * IPv4 that is not reachable from everywhere, relays and multicast included:
 * https://www.iana.org/assignments/iana-ipv4-special-registry
 */
const specialIPv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** The only IPv6 that is public; mapped and translated IPv4 (::ffff:0:0/96, 64:ff9b::/96) are outside of it. */
const globalIPv6 = ['2000::/3'];

/** What is special inside of it: https://www.iana.org/assignments/iana-ipv6-special-registry */
const specialIPv6 = [
  // Protocol assignments, Teredo (2001::/32) among them.
  '2001::/23',
  '2001:db8::/32',
  // 6to4: an IPv4 address is in the bits after the prefix.
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
];

/** The ranges of a list of addresses and CIDRs. @throws RangeError for an entry that is neither. */
export function rangesOf(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix, ...more] = entry.split('/');
    const family = isIP(address);
    const bits = prefix === undefined ? widthOf(family) : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1;
    if (family === 0 || address.includes('%') || more.length > 0 || bits < 0 || bits > widthOf(family)) {
      throw new RangeError(`${entry} is no address and no CIDR`);
    }
    list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

const widthOf = (family: number) => (family === 4 ? 32 : 128);

const special = { ipv4: rangesOf(specialIPv4), ipv6: rangesOf(specialIPv6) };
const global = rangesOf(globalIPv6);

/** Whether an address is in one of the ranges. An IPv6 address with a zone is in none. */
export function isIn(ranges: BlockList, address: string): boolean {
  const family = isIP(address);
  if (family === 4) return ranges.check(address, 'ipv4');
  return family === 6 && !address.includes('%') && ranges.check(address, 'ipv6');
}

/** Whether an address belongs to the public internet. What is not an address is not public. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !isIn(special.ipv4, address);
  return isIn(global, address) && !isIn(special.ipv6, address);
}
