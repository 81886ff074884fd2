#!/usr/bin/env python3
"""Compares firestore.proto with the descriptors of PyPI's google-cloud-firestore: each message, field, enum value and oneof
must be Google's. `scripts/firestore-proto.sh` runs it.
"""

import sys
import tempfile

from google.cloud.firestore_v1.types import common, document, firestore, query, write
from google.protobuf import descriptor_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_tools import protoc

OTHERS = {"Status": status_pb2.Status, "RetryInfo": error_details_pb2.RetryInfo}


def google(path):
    """Google's descriptor of the message that `path` names, from the outermost message to the innermost."""
    if path[0] in OTHERS:
        return OTHERS[path[0]].DESCRIPTOR
    for module in (common, document, firestore, query, write):
        found = getattr(module, path[0], None)
        for name in path[1:]:
            found = getattr(found, name, None)
        if found is not None:
            return found.pb(found()).DESCRIPTOR
    return None


def short(name):
    return name.rsplit(".", 1)[-1]


def enums(path, descriptor):
    """Google's enums inside a message, by name. An enum of its own module has no descriptor inside the message."""
    found = {f.enum_type.name: {v.name: v.number for v in f.enum_type.values} for f in descriptor.fields if f.enum_type}
    for module in (common, document, firestore, query, write):
        owner = module
        for name in path:
            owner = getattr(owner, name, None)
        for name in ("Direction", "Operator", "ServerValue", "TargetChangeType"):
            values = getattr(owner, name, None)
            if values is not None:
                found.setdefault(name, {value.name: int(value) for value in values})
    return found


class Comparison:
    def __init__(self):
        self.wrong, self.messages, self.fields = [], 0, 0

    def message(self, ours, path):
        name = ".".join(path)
        theirs = google(path)
        self.messages += 1
        if theirs is None:
            self.wrong.append(f"{name} is not a message of Google's.")
            return
        by_number = {field.number: field for field in theirs.fields}
        for field in ours.field:
            self.field(field, by_number.get(field.number), ours, f"{name}.{field.name}")
        known = enums(path, theirs)
        for enum in ours.enum_type:
            for value in enum.value:
                if known.get(enum.name, {}).get(value.name) != value.number:
                    self.wrong.append(f"{name}.{enum.name}.{value.name} = {value.number} is not Google's.")
        for nested in ours.nested_type:
            if not nested.options.map_entry:
                self.message(nested, path + [nested.name])

    def field(self, ours, theirs, message, name):
        self.fields += 1
        if theirs is None:
            self.wrong.append(f"{name} has the number {ours.number}, which Google's message does not have.")
            return
        oneof = message.oneof_decl[ours.oneof_index].name if ours.HasField("oneof_index") else None
        type_name = theirs.message_type or theirs.enum_type
        facts = [
            ("name", ours.name, theirs.name.rstrip("_")),
            ("type", ours.type, theirs.type),
            ("repetition", ours.label == 3, theirs.is_repeated),
            ("oneof", oneof, theirs.containing_oneof.name if theirs.containing_oneof else None),
            ("message", short(ours.type_name), short(type_name.full_name) if type_name else ""),
        ]
        for fact, mine, other in facts:
            if mine != other:
                self.wrong.append(f"{name} has the {fact} {mine!r}, and Google's has {other!r}.")


def main(path):
    folder, _, name = path.rpartition("/")
    with tempfile.NamedTemporaryFile() as out:
        # protoc's own messages, such as Timestamp, are in the package.
        import grpc_tools

        include = grpc_tools.__path__[0] + "/_proto"
        if protoc.main(["protoc", f"-I{folder}", f"-I{include}", f"--descriptor_set_out={out.name}", path]):
            sys.exit(1)
        with open(out.name, "rb") as file:
            files = descriptor_pb2.FileDescriptorSet.FromString(file.read()).file
    comparison = Comparison()
    for message in next(file for file in files if file.name == name).message_type:
        comparison.message(message, [message.name])
    for sentence in comparison.wrong:
        print(f"firestore-proto: {sentence}", file=sys.stderr)
    if comparison.wrong:
        sys.exit(1)
    print(f"{comparison.messages} messages with {comparison.fields} fields are Google's.")


main(sys.argv[1])
