import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isPublicAddress } from '../../outbound/addresses.ts';
import { allowListOf } from '../../outbound/settings.ts';
import { ConfigError, parseConfig } from '../../server/config.ts';

const test = suite('outgoing requests: addresses');

/** The first and the last address of each range, and its neighbours where those are public. */
const ranges: Record<string, { within: string[]; beside: string[] }> = {
  'this network': { within: ['0.0.0.0', '0.255.255.255'], beside: ['1.0.0.0'] },
  'private 10/8': { within: ['10.0.0.0', '10.255.255.255'], beside: ['9.255.255.255', '11.0.0.0'] },
  'shared 100.64/10': { within: ['100.64.0.0', '100.127.255.255'], beside: ['100.63.255.255', '100.128.0.0'] },
  loopback: { within: ['127.0.0.0', '127.0.0.1', '127.255.255.255'], beside: ['126.255.255.255', '128.0.0.0'] },
  'link-local': {
    within: ['169.254.0.0', '169.254.169.254', '169.254.255.255'],
    beside: ['169.253.255.255', '169.255.0.0'],
  },
  'private 172.16/12': { within: ['172.16.0.0', '172.31.255.255'], beside: ['172.15.255.255', '172.32.0.0'] },
  'protocol assignments': { within: ['192.0.0.0', '192.0.0.170', '192.0.0.255'], beside: ['191.255.255.255'] },
  documentation: {
    within: ['192.0.2.0', '192.0.2.255', '198.51.100.7', '203.0.113.255'],
    beside: ['192.0.1.255', '192.0.3.0', '198.51.99.255', '203.0.114.0'],
  },
  'AS112, AMT and 6to4 relays': {
    within: ['192.31.196.1', '192.52.193.1', '192.88.99.1', '192.175.48.1'],
    beside: ['192.88.98.255', '192.88.100.0'],
  },
  'private 192.168/16': { within: ['192.168.0.0', '192.168.255.255'], beside: ['192.167.255.255', '192.169.0.0'] },
  benchmarks: { within: ['198.18.0.0', '198.19.255.255'], beside: ['198.17.255.255', '198.20.0.0'] },
  'multicast and reserved': {
    within: ['224.0.0.0', '239.255.255.255', '240.0.0.0', '255.255.255.255'],
    beside: ['223.255.255.255'],
  },
  'unspecified and loopback (IPv6)': { within: ['::', '::1', '::2', '::127.0.0.1'], beside: [] },
  'IPv4 in IPv6, mapped and translated': {
    within: ['::ffff:10.0.0.1', '::ffff:8.8.8.8', '::ffff:0:8.8.8.8', '64:ff9b::7f00:1', '64:ff9b::808:808'],
    beside: [],
  },
  'local translation and discard-only': { within: ['64:ff9b:1::1', '100::1', '100:0:0:1::1'], beside: [] },
  'Teredo and protocol assignments': {
    within: ['2001::', '2001:0:a00:1::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
    beside: ['2001:200::', '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  },
  'documentation (IPv6)': {
    within: ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '3fff::1', '3fff:fff::1'],
    beside: ['2001:db7:ffff::', '2001:db9::', '3ffe:ffff::1', '3fff:1000::1'],
  },
  '6to4': { within: ['2002::', '2002:7f00:1::1', '2002:ffff::'], beside: ['2003::', '2001:ffff::'] },
  'AS112 (IPv6)': { within: ['2620:4f:8000::1'], beside: ['2620:4f:7fff::1', '2620:4f:8001::1'] },
  'segment routing': { within: ['5f00::1'], beside: [] },
  'unique-local': { within: ['fc00::', 'fd00:ec2::254', 'fdff:ffff::'], beside: [] },
  'link-local (IPv6)': { within: ['fe80::1', 'fe80::1%lo', 'febf::1', 'fec0::1'], beside: [] },
  'multicast (IPv6)': { within: ['ff02::1', 'ff0e::1'], beside: [] },
  'outside of 2000::/3': { within: ['1fff::1', '4000::1', '2606:4700::1111%eth0'], beside: ['3ffe::1', '2000::1'] },
  'the rest': { within: ['', 'localhost', '127.1', '8.8.8', '08.8.8.8'], beside: ['8.8.8.8', '2606:4700::1111'] },
};

for (const [name, { within, beside }] of Object.entries(ranges)) {
  test(`${name}: not public, with its first and last address, and its neighbours are`, () => {
    assert.equal(
      within.filter((address) => isPublicAddress(address)),
      [],
    );
    assert.equal(
      beside.filter((address) => !isPublicAddress(address)),
      [],
    );
  });
}

const allowed = (value: string) => allowListOf(parseConfig({ OUTBOUND_ALLOW: value }).OUTBOUND_ALLOW);

test('OUTBOUND_ALLOW takes addresses, CIDRs and host names', () => {
  const list = allowed(' 10.1.0.0/16, fd00::/8,192.168.1.7,Hooks.Internal. ,localhost,,64:ff9b::/96');
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', 'fd12::1', '192.168.1.7', '64:ff9b::1']) {
    assert.ok(list.hasAddress(address), address);
  }
  for (const address of ['10.2.0.0', '192.168.1.8', 'fe80::1', 'fd12::1%eth0', 'localhost', '']) {
    assert.not(list.hasAddress(address), address);
  }
  for (const name of ['hooks.internal', 'HOOKS.internal.', 'localhost']) assert.ok(list.hasName(name), name);
  for (const name of ['internal', 'a.hooks.internal', 'localhost.evil.example', '10.1.2.3']) {
    assert.not(list.hasName(name), name);
  }
  const none = allowed('');
  assert.not(none.hasAddress('127.0.0.1') || none.hasName('localhost') || none.hasName(''));
});

test('OUTBOUND_ALLOW with anything else ends the start with a sentence', () => {
  const wrong = [
    '10.0.0.0/33',
    '10.0.0/8',
    '::1/129',
    '1.2.3.4/8/8',
    '*.internal',
    'http://hooks',
    'a b',
    '127.1',
    '-',
  ];
  for (const value of [...wrong, '10.0.0.0/', 'fe80::1%lo', 'hooks:8080', '2130706433', '0x7f.0.0.0x1']) {
    assert.throws(
      () => allowed(`localhost,${value}`),
      (error: Error) =>
        error instanceof ConfigError && /OUTBOUND_ALLOW must be addresses, CIDRs or host names/.test(error.message),
      value,
    );
  }
});

test.run();
