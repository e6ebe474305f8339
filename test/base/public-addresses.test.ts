import { isIPv6 } from "node:net";
import { expect, it } from "vitest";
import { NOT_PUBLIC } from "../../src/base/public-addresses.js";

it.each([
  [true, ["8.8.8.8", "100.63.255.255", "128.0.0.1", "172.32.0.1", "192.169.0.1", "223.255.255.255"]],
  [true, ["2001:4860:4860::8888", "64:ff9b::808:808", "::ffff:8.8.8.8"]],
  [false, ["0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255"]],
  [false, ["192.0.0.1", "192.168.1.1", "198.18.0.1", "224.0.0.1", "255.255.255.255"]],
  [false, ["::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:a00:1", "2002:7f00:1::", "64:ff9b:1::1"]],
  [false, ["fc00::1", "fdff::1", "fe80::1", "fec0::1", "ff02::1"]],
])("it is %s that addresses such as %j are public", (expected, addresses) => {
  const isPublic = (address: string) => !NOT_PUBLIC.check(address, isIPv6(address) ? "ipv6" : "ipv4");
  expect(addresses.filter((address) => isPublic(address) !== expected)).toEqual([]);
});
