import assert from 'node:assert/strict';
import { isPublicAddress } from '../../../src/platform/outbound/guard.ts';
import { createAllowList, isAllowListEntry } from '../../../src/platform/outbound/allow-list.ts';

const NOT_PUBLIC: Record<string, string> = {
  'this host': '0.0.0.0',
  'this network': '0.1.2.3',
  loopback: '127.0.0.1',
  'the rest of loopback': '127.255.255.254',
  'private, 10': '10.0.0.1',
  'private, 172.16': '172.31.255.255',
  'private, 192.168': '192.168.1.1',
  shared: '100.64.0.1',
  'metadata of Alibaba Cloud': '100.100.100.200',
  'metadata of AWS, Google Cloud and Azure': '169.254.169.254',
  'platform of Azure': '168.63.129.16',
  'metadata of Oracle Cloud': '192.0.0.192',
  'for documents': '192.0.2.1',
  'for benchmarks': '198.18.0.1',
  '6to4 relays': '192.88.99.1',
  multicast: '224.0.0.1',
  reserved: '240.0.0.1',
  broadcast: '255.255.255.255',
  'unspecified, IPv6': '::',
  'loopback, IPv6': '::1',
  'compatible with IPv4': '::127.0.0.1',
  'IPv4-mapped private': '::ffff:10.0.0.1',
  'IPv4-mapped private in hexadecimal': '::ffff:a00:1',
  'IPv4-mapped public': '::ffff:8.8.8.8',
  'IPv4-translated': '::ffff:0:10.0.0.1',
  'NAT64 of a private address': '64:ff9b::a00:1',
  'NAT64 of a public address': '64:ff9b::808:808',
  'NAT64 for local use': '64:ff9b:1::a00:1',
  '6to4 of a private address': '2002:a00:1::1',
  Teredo: '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  'unique local': 'fc00::1',
  'metadata of AWS, IPv6': 'fd00:ec2::254',
  'link-local, IPv6': 'fe80::1',
  'link-local with a zone': 'fe80::1%eth0',
  'site-local': 'fec0::1',
  'multicast, IPv6': 'ff02::1',
  'for documents, IPv6': '2001:db8::1',
  'for documents, new': '3fff::1',
  discarded: '100::1',
  'segment routing': '5f00::1',
  'not allocated': '4000::1',
  'no address': 'localhost',
  nothing: '',
};

describe('outbound: addresses', () => {
  for (const [name, address] of Object.entries(NOT_PUBLIC)) {
    it(`${name} is not public: ${address}`, () => assert.equal(isPublicAddress(address), false));
  }

  it('what the internet routes is', () => {
    for (const address of ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700:4700::1111', '2a00:1450::1']) {
      assert.equal(isPublicAddress(address), true, address);
    }
  });
});

describe('outbound: the list of what is allowed', () => {
  it('takes names, addresses and networks', () => {
    const list = createAllowList(['Hooks.Internal', '127.0.0.1', '10.0.0.0/8', 'fd00::/8', '::1']);
    for (const host of ['hooks.internal', 'HOOKS.internal.', '127.0.0.1', '10.255.0.1', 'fd12::1', '::1']) {
      assert.equal(list.namesHost(host), true, host);
    }
    for (const host of ['internal', 'a.hooks.internal', '127.0.0.2', '11.0.0.1', 'fe80::1', '::ffff:10.0.0.1', '']) {
      assert.equal(list.namesHost(host), false, host);
    }
    assert.equal(list.hasAddress('10.1.2.3'), true);
    assert.equal(list.hasAddress('hooks.internal'), false);
  });

  it('takes nothing that could be meant in two ways', () => {
    for (const entry of [
      '127.1',
      '0x7f000001',
      '2130706433',
      '0177.0.0.1',
      '10.0.0.0/33',
      '*.internal',
      'a b',
      '',
      'http://a',
      'a/8',
      '-a',
    ]) {
      assert.equal(isAllowListEntry(entry), false, entry);
      assert.throws(() => createAllowList([entry]), RangeError);
    }
  });
});
